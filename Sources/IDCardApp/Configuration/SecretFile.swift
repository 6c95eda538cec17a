import Foundation
package import IDCardCore
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file with one secret in it, which nobody but its owner may touch.
package struct SecretFile: Hashable, Sendable {
    /// Most bytes that are read.
    package static let maximumBytes = 64 * 1024

    /// Where it lies.
    package let path: String
    /// The key that names it.
    package let key: String
    private let credentials: CredentialFolder

    /// Names a file.
    package init(path: String, key: String, credentials: CredentialFolder = .current) {
        self.path = path
        self.key = key
        self.credentials = credentials
    }

    /// Reads the secret; blanks and line ends around it do not count.
    ///
    /// The rights are those of the opened file, not of whatever has the name a moment later.
    ///
    /// - Throws: `insecureFile`, `secretUnreadable`.
    package func read() throws(ConfigurationError.Problem) -> Redacted<String> {
        guard let text = String(data: try self.bytes(), encoding: .utf8) else {
            throw self.unreadable("is not UTF-8 text")
        }
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else { throw self.unreadable("is empty") }
        let isOneLine = secret.unicodeScalars.allSatisfy { !CharacterSet.controlCharacters.contains($0) }
        guard isOneLine else { throw self.unreadable("holds more than one line or control characters") }
        return Redacted(secret)
    }

    /// Reads all of a file that must belong to this user (or to root), whatever its rights.
    ///
    /// - Parameter expected: what it must hold, for messages.
    /// - Throws: `insecureFile`, `secretUnreadable`.
    func readText(expected: String) throws(ConfigurationError.Problem) -> Redacted<String> {
        guard let text = String(data: try self.bytes(expected: expected, ownedByUs: true), encoding: .utf8) else {
            throw self.unreadable("is not UTF-8 text", expected: expected)
        }
        return Redacted(text)
    }

    /// Checks that the file holds a private key in PEM, without giving it out.
    ///
    /// - Throws: `insecureFile`, `secretUnreadable`.
    package func checkPrivateKey() throws(ConfigurationError.Problem) {
        let words = "a private key in PEM (-----BEGIN … PRIVATE KEY-----)"
        guard try self.bytes(expected: words).range(of: Data("PRIVATE KEY-----".utf8)) != nil else {
            throw self.unreadable("holds no such key", expected: words)
        }
    }

    private func bytes(
        expected: String = Self.oneSecret,
        ownedByUs: Bool = false
    ) throws(ConfigurationError.Problem) -> Data {
        let bytes: Data
        do {
            // Without O_NONBLOCK a FIFO of that name would stop us for ever.
            let descriptor = try FileDescriptor.open(self.path, .readOnly, options: [.closeOnExec, .nonBlocking])
            bytes = try descriptor.closeAfter {
                try self.contents(of: descriptor, expected: expected, ownedByUs: ownedByUs)
            }
        } catch let problem as ConfigurationError.Problem {
            throw problem
        } catch {
            throw self.unreadable("cannot be read (\(error))", expected: expected)
        }
        guard bytes.count <= Self.maximumBytes else {
            throw self.unreadable("is longer than \(ByteCountText.render(Self.maximumBytes))", expected: expected)
        }
        return bytes
    }

    private func contents(of descriptor: FileDescriptor, expected: String, ownedByUs: Bool) throws -> Data {
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw self.unreadable("is not a regular file", expected: expected)
        }
        guard !self.credentials.othersMayTouch(self.path, mode: status.st_mode, owner: status.st_uid) else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw ConfigurationError.Problem(
                .insecureFile,
                key: self.key,
                "\(self.key): \(self.path) has mode 0\(mode), so others than its owner have rights to it; "
                    + "run: chmod 600 \(self.path)"
            )
        }
        guard !ownedByUs || status.st_uid == geteuid() || status.st_uid == 0 else {
            // Root must not take the file from the service that it belongs to.
            let remedy =
                geteuid() == 0
                ? "as root, run this command as that user: sudo -u '#\(status.st_uid)' idcard-pipeline …"
                : "run: chown \(geteuid()) \(self.path)"
            throw ConfigurationError.Problem(
                .insecureFile,
                key: self.key,
                "\(self.key): \(self.path) belongs to another user (\(status.st_uid)), who could put something else into it; "
                    + remedy
            )
        }
        return try descriptor.readUpTo(Self.maximumBytes + 1)
    }

    private static let oneSecret = "one secret and nothing else"

    private func unreadable(_ reason: String, expected: String = Self.oneSecret) -> ConfigurationError.Problem {
        ConfigurationError.Problem(
            .secretUnreadable,
            key: self.key,
            "\(self.key): \(self.path) \(reason); it must hold \(expected), mode 0600"
        )
    }
}
