import Foundation
import Glibc

/// Who has rights to a file with a secret in it: its owner alone, or root's group to what belongs to root.
///
/// Kubernetes mounts secrets as root's with a group that reads them (0440). Where systemd keeps credentials
/// (`LoadCredential=`) on a tmpfs, an access list lets the service read them; the mode then shows the mask of that list as
/// rights of the group, though the group has none.
package enum SecretRights {
    /// Whether others than these have rights to a file.
    ///
    /// - Parameters:
    ///   - path: where the file lies.
    ///   - mode: its mode, as the opened file shows it.
    ///   - owner: the user whom the opened file belongs to.
    package static func othersMayTouch(_ path: String, mode: UInt32, owner: UInt32) -> Bool {
        guard mode & 0o077 != 0 else { return false }
        guard mode & 0o037 == 0, owner == 0 || owner == geteuid() else { return true }
        if owner == 0 { return false }
        guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"].flatMap(self.realPath) else {
            return true
        }
        return self.realPath(DurableFile.folder(of: path)) != folder
    }

    /// What to do about it.
    package static func remedy(_ path: String, mode: UInt32) -> Message {
        let mode = String(mode & 0o777, radix: 8)
        return "has mode 0\(mode), so others have rights to it; run: chmod 600 \(Redacted(path))"
    }

    /// The path without links; `nil` if nothing is there.
    package static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
