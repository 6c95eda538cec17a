import CardModel
import Foundation
import Glibc
import SystemPackage

/// A file with secrets in it, to which only its owner may have rights.
struct SecretFile {
    /// Most bytes that are read; keys and tokens take a few hundred.
    static let maximumBytes = 64 * 1024

    /// Where it lies.
    let path: String
    /// The key that names it.
    let key: String

    /// Reads the one secret in it; blanks and line ends around it do not count.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`.
    func read() throws(CodedError) -> Redacted<String> {
        let text = try self.readText(expected: "one secret and nothing else").reveal().trimmed
        guard text.isOneLine else {
            throw self.unreadable("holds no secret, or more than one line", "one secret and nothing else")
        }
        return Redacted(text)
    }

    /// Reads all of it; the file must belong to this user or to root.
    ///
    /// The rights are those of the opened file, not of whatever has the name a moment later.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`.
    func readText(expected: Message) throws(CodedError) -> Redacted<String> {
        let bytes: Data
        do {
            // Without O_NONBLOCK a FIFO of that name would stop us for ever.
            let descriptor = try FileDescriptor.open(self.path, .readOnly, options: [.closeOnExec, .nonBlocking])
            bytes = try descriptor.closeAfter { try self.contents(of: descriptor, expected) }
        } catch let error as CodedError {
            throw error
        } catch {
            let reason = (error as? Errno)?.description ?? "it fails to be read"
            throw self.unreadable("cannot be read (\(reason))", expected)
        }
        guard bytes.count <= Self.maximumBytes else {
            throw self.unreadable("is longer than \(ByteCountText.render(Int64(Self.maximumBytes)))", expected)
        }
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw self.unreadable("is not UTF-8 text", expected)
        }
        return Redacted(text)
    }

    private func contents(of descriptor: FileDescriptor, _ expected: Message) throws -> Data {
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw self.unreadable("is not a regular file", expected) }
        guard !CredentialFolder.othersMayTouch(self.path, mode: status.st_mode, owner: status.st_uid) else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw self.insecure("has mode 0\(mode), so others have rights to it; run: chmod 600 \(Redacted(self.path))")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw self.insecure(
                "belongs to another user, who could put something else into it; run: chown \(geteuid()) \(Redacted(self.path))"
            )
        }
        return try descriptor.readUpTo(Self.maximumBytes + 1)
    }

    private func insecure(_ what: Message) -> CodedError {
        CodedError(.secretInsecure, .configuration, "\(self.key): \(Redacted(self.path)) " + what)
    }

    private func unreadable(_ what: Message, _ expected: Message) -> CodedError {
        CodedError(
            .secretUnreadable,
            .configuration,
            "\(self.key): \(Redacted(self.path)) " + what + "; it must hold " + expected + ", mode 0600"
        )
    }
}

/// The folder in which systemd hands a service its secrets (`LoadCredential=`).
///
/// Where systemd keeps them on a tmpfs, they belong to root and an access list lets the service read them; the mode then
/// shows the mask of that list as rights of the group (0440), though nobody has them by his group.
enum CredentialFolder {
    /// Whether others than its owner have rights to a file; those of a credential's group are none.
    ///
    /// - Parameters:
    ///   - path: where the file lies.
    ///   - mode: its mode, as the opened file shows it.
    ///   - owner: the user whom the opened file belongs to.
    static func othersMayTouch(_ path: String, mode: UInt32, owner: UInt32) -> Bool {
        guard mode & 0o077 != 0 else { return false }
        guard mode & 0o037 == 0, owner == 0 || owner == geteuid() else { return true }
        guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"].flatMap(Self.realPath) else {
            return true
        }
        return Self.realPath(DurableFile.folder(of: path)) != folder
    }

    /// The path without links; `nil` if nothing is there.
    static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
