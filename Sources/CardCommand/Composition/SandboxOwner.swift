import CardModel
import Glibc

/// What root does on somebody's sandbox it does as that user, so that nothing in it comes to belong to root.
enum SandboxOwner {
    /// Becomes the owner of a sandbox that is there, for good; does nothing for anybody but root.
    ///
    /// - Throws: `sandbox_unavailable` if the system does not let us.
    static func become(of path: String) throws(CodedError) {
        var status = stat()
        guard geteuid() == 0, stat(path, &status) == 0, status.st_uid != 0 else { return }
        // The groups first: later there is no right to change them.
        var group = status.st_gid
        guard setgroups(1, &group) == 0, setgid(group) == 0, setuid(status.st_uid) == 0 else {
            throw CodedError(
                .sandboxUnavailable,
                .storage,
                """
                the sandbox belongs to the user \(Int(status.st_uid)), and this process cannot become that user \
                (\(String(cString: strerror(errno)))); run it as the owner
                """
            )
        }
        // A home of root is no place for files of this user.
        if let entry = getpwuid(status.st_uid), let home = entry.pointee.pw_dir { setenv("HOME", home, 1) }
    }
}
