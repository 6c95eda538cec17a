import Foundation
import Glibc

/// The folder in which systemd hands a service its secrets (`LoadCredential=`).
///
/// Where systemd keeps them on a tmpfs, they belong to root and an access list lets the service read them; the mode then
/// shows the mask of that list as rights of the group (0440), though nobody has them by his group.
package struct CredentialFolder: Hashable, Sendable {
    /// Where it lies; `nil` if there is none.
    package let path: String?

    /// Names the folder.
    package init(path: String?) {
        self.path = path
    }

    /// The folder of this process (`CREDENTIALS_DIRECTORY`).
    package static var current: CredentialFolder {
        CredentialFolder(path: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"])
    }

    /// Whether others than its owner have rights to a file; those of a credential's group are none.
    ///
    /// - Parameters:
    ///   - path: where the file lies.
    ///   - mode: its mode, as the opened file shows it.
    ///   - owner: the user whom the opened file belongs to.
    package func othersMayTouch(_ path: String, mode: UInt32, owner: UInt32) -> Bool {
        guard mode & 0o077 != 0 else { return false }
        guard mode & 0o037 == 0, owner == 0 || owner == geteuid() else { return true }
        return !self.holds(path)
    }

    private func holds(_ path: String) -> Bool {
        guard let own = self.path.flatMap(Self.realPath) else { return false }
        return Self.realPath(of: URL(fileURLWithPath: path).deletingLastPathComponent().path) == own
    }

    private static func realPath(of path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
