import Foundation
package import IDCardCore
import SystemPackage

/// Where the TOKEN of the business backend comes from; a file is read anew and a command run anew on every demand, so
/// that a renewed TOKEN is seen.
package struct TokenSource: Hashable, Sendable {
    private enum Origin: Hashable {
        case fixed(Redacted<String>)
        case file(String)
        case command(TokenCommand)
    }

    private let origin: Origin

    /// Always gives the same TOKEN.
    package static func fixed(_ token: Redacted<String>) -> TokenSource { TokenSource(origin: .fixed(token)) }

    /// Reads the TOKEN from a file that only its owner may read.
    package static func file(_ path: String) -> TokenSource { TokenSource(origin: .file(path)) }

    /// Runs a command with `/bin/sh -c` and takes the first line of its output.
    ///
    /// - Parameters:
    ///   - text: the command.
    ///   - timeout: the longest time it may take.
    package static func command(_ text: String, timeout: Duration) -> TokenSource {
        TokenSource(origin: .command(TokenCommand(text: text, timeout: timeout)))
    }

    /// Whether every demand costs a process.
    package var isCommand: Bool {
        if case .command = self.origin { true } else { false }
    }

    /// The file, if there is one.
    package var path: String? {
        switch self.origin {
        case .fixed, .command: nil
        case .file(let path): path
        }
    }

    /// Gives the TOKEN that holds now.
    ///
    /// - Throws: `insecureFile` if group or others have any right to the file, `secretUnreadable` if it cannot be read,
    ///   is empty, longer than 64 KiB or of several lines, or if the command fails, takes too long or gives no TOKEN;
    ///   `CancellationError` if the task ends while a command runs.
    package func current() async throws -> Redacted<String> {
        switch self.origin {
        case .fixed(let token): return token
        case .file(let path):
            do throws(ConfigurationError.Problem) {
                return try SecretFile(path: path, key: "delivery.token_file").read()
            } catch {
                throw ConfigurationError([error])
            }
        case .command(let command): return try await command.run()
        }
    }
}

extension TokenSource {
    /// The source that is configured; `nil` if there is none.
    init?(_ values: ResolvedConfiguration) {
        if let token = values.find("delivery.token", \.secret) {
            self = .fixed(token)
        } else if let path = values.find("delivery.token_file", \.text) {
            self = .file(path)
        } else if let command = values.find("delivery.token_command", \.secret) {
            // It may hold a password.
            self = .command(command.reveal(), timeout: values.require("delivery.token_timeout", \.duration))
        } else {
            return nil
        }
    }
}
