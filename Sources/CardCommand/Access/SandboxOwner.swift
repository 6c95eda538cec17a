import CardModel
import CardStore
import Glibc

/// Root works on the sandbox of another user as that user, so that root owns no file in it.
enum SandboxOwner {
    /// The status of a sandbox, or of its nearest existing folder, if root must become its owner; `nil` if this process is not
    /// root's, or root is the owner.
    static func otherOwner(of path: String) -> stat? {
        var status = stat()
        let existing = DurableFile.nearestExisting(path)
        return geteuid() == 0 && stat(existing, &status) == 0 && status.st_uid != 0 ? status : nil
    }

    /// Becomes the owner of a sandbox, or of its nearest existing folder, permanently; only root does.
    ///
    /// - Throws: `sandbox_unavailable` if the system refuses.
    static func become(of path: String) throws(CodedError) {
        // Read while this process is still root's: afterwards they would name the owner.
        _ = (SystemUser.subject, SystemUser.name)
        guard let status = self.otherOwner(of: path) else { return }
        // The groups first: afterwards the right to change them is gone.
        var group = status.st_gid
        guard setgroups(1, &group) == 0, setgid(group) == 0, setuid(status.st_uid) == 0 else {
            throw CodedError(.sandboxUnavailable, .storage, .sandboxOtherOwner(user: status.st_uid, errno))
        }
        // The home of root must not get files of this user.
        if let entry = getpwuid(status.st_uid), let home = entry.pointee.pw_dir { setenv("HOME", home, 1) }
    }
}
