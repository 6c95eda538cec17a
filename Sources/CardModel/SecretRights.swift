import Foundation
package import Glibc

/// Checks the rights to a file with a secret: only its owner may have rights. If the owner is root, a group of this
/// process may read the file, too.
///
/// Kubernetes mounts secrets as files of root that a group may read (0440). If systemd keeps credentials
/// (`LoadCredential=`) on a tmpfs, an access list lets the service read them. The mode then shows the mask of that list
/// as rights of the group, although the group has none.
package enum SecretRights {
    /// Returns the error in the rights to a file and its remedy; `nil` if its secret is safe.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - status: the status of the opened file.
    package static func refusal(of path: String, _ status: stat) -> Message? {
        if self.othersMayTouch(path, status) {
            let mode = "0" + String(status.st_mode & 0o777, radix: 8)
            return status.st_uid == 0 && geteuid() != 0
                ? .secretOpenMounted(path, mode: mode)
                : .secretOpen(path, mode: mode)
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { return .secretForeign(path, user: geteuid()) }
        return nil
    }

    /// Whether anyone has rights to a file except its owner, a group of this process and the service of systemd.
    package static func othersMayTouch(_ path: String, _ status: stat) -> Bool {
        guard status.st_mode & 0o077 != 0 else { return false }
        guard status.st_mode & 0o037 == 0, status.st_uid == 0 || status.st_uid == geteuid() else { return true }
        if status.st_uid == 0, self.isOurs(status.st_gid) { return false }
        guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"].flatMap(self.realPath) else {
            return true
        }
        return self.realPath(DurableFile.folder(of: path)) != folder
    }

    /// Whether this process is in a group.
    private static func isOurs(_ group: gid_t) -> Bool {
        var groups = [gid_t](repeating: getegid(), count: Int(max(0, getgroups(0, nil))) + 1)
        // `getgroups` leaves the last slot, which already holds the effective group.
        _ = getgroups(Int32(groups.count - 1), &groups)
        return groups.contains(group)
    }

    /// Returns the path with links resolved; `nil` if it does not exist.
    package static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
