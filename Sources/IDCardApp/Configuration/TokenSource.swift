import Foundation
package import IDCardCore
import SystemPackage

/// Where the TOKEN of the business backend comes from; a file is read anew on every demand, so that a renewed TOKEN is
/// seen.
package struct TokenSource: Hashable, Sendable {
    private enum Origin: Hashable {
        case fixed(Redacted<String>)
        case file(String)
    }

    private let origin: Origin

    /// Always gives the same TOKEN.
    package static func fixed(_ token: Redacted<String>) -> TokenSource { TokenSource(origin: .fixed(token)) }

    /// Reads the TOKEN from a file that only its owner may read.
    package static func file(_ path: String) -> TokenSource { TokenSource(origin: .file(path)) }

    /// The file, if there is one.
    package var path: String? {
        switch self.origin {
        case .fixed: nil
        case .file(let path): path
        }
    }

    /// Gives the TOKEN that holds now.
    ///
    /// - Throws: `insecureFile` if group or others have any right to the file, `secretUnreadable` if it cannot be read,
    ///   is empty, longer than
    ///   64 KiB or of several lines.
    package func current() throws(ConfigurationError) -> Redacted<String> {
        switch self.origin {
        case .fixed(let token): return token
        case .file(let path):
            do throws(ConfigurationError.Problem) {
                return try SecretFile(path: path, key: "delivery.token_file").read()
            } catch {
                throw ConfigurationError([error])
            }
        }
    }
}
