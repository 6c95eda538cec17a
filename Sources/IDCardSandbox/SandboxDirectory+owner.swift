import CFolders
import GRDBSQLite
import Glibc
import IDCardPipeline

// Root works in a sandbox as the owner of its folder: whatever root leaves there, the service can use. A link that the
// owner has put there leads root nowhere that the owner could not go.
extension SandboxDirectory {
    /// Has root make all calls in the folder as its owner, or, where it is to be made, as the owner of the nearest folder
    /// above it. Does nothing for another user.
    ///
    /// - Throws: `StoreError.unavailable` if this process may not act as that user.
    func adoptOwner() throws {
        guard geteuid() == 0 else { return }
        var (existing, made) = (self.path, self.path)
        var status = stat()
        while stat(existing, &status) != 0 {
            guard [ENOENT, ENOTDIR].contains(errno), existing != "/" else { return }
            (existing, made) = (Self.parent(of: existing), existing)
        }
        // SQLite resolves links before it opens a path.
        let resolved = Self.resolved(existing) + made.dropFirst(existing == "/" ? 0 : existing.count)
        for path in Set([made, resolved]) {
            guard idc_own_folder(path, status.st_uid, status.st_gid) == 0 else {
                throw StoreError(
                    .unavailable,
                    "the folder \(existing) belongs to \(Self.name(of: status.st_uid)), and this process may not act as "
                        + "that user (CAP_SETUID and CAP_SETGID are missing); run the command as that user"
                )
            }
        }
        if status.st_uid != 0 { Self.haveSQLiteAct() }
    }

    private static func haveSQLiteAct() {
        guard let system = sqlite3_vfs_find(nil) else { return }
        for name in ["open", "access", "stat", "lstat", "unlink", "readlink"] {
            _ = system.pointee.xSetSystemCall(system, name, idc_call_for(name))
        }
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    // MARK: What belongs to somebody else

    /// What of ours belongs to another user than the folder, as paths within the folder.
    func foreignPaths() throws -> [String] {
        guard let folder = FileFacts(self.path) else { return [] }
        let owners = try self.entries(of: self.owners).map { "owners/\($0)" }
        return try (self.entries(of: self.path).filter(Self.isOurs) + owners).filter { name in
            FileFacts("\(self.path)/\(name)").map { $0.user != folder.user } ?? false
        }
    }

    /// The command with which root gives everything in the folder to the folder's owner.
    private var remedy: String {
        guard let folder = FileFacts(self.path) else { return "" }
        return "chown -hR \(folder.user):\(folder.group) '\(self.path)'"
    }

    /// Says so if an error comes from files that belong to another user.
    func explaining(_ error: any Error) -> any Error {
        guard let error = error as? StoreError, [.unavailable, .notFound].contains(error.code),
            let folder = FileFacts(self.path)
        else { return error }
        let user = geteuid()
        if user != 0, folder.user != user {
            return StoreError(
                error.code == .notFound ? .unavailable : error.code,
                "the sandbox \(self.path) belongs to \(Self.name(of: folder.user)), this process is "
                    + "\(Self.name(of: user)); run the command as the owner or as root, or have root give it away: "
                    + "chown -hR \(user):\(getegid()) '\(self.path)'",
                cause: error
            )
        }
        guard let words = self.foreignWords else { return error }
        return StoreError(error.code, words, cause: error)
    }

    /// A reason of the system, or, where files belong to another user, that.
    func explained(_ reason: String) -> String { self.foreignWords ?? reason }

    /// Names the first file that belongs to another user than the folder, if there is one, and the remedy.
    private var foreignWords: String? {
        // What cannot be listed is told by the error itself.
        (try? self.foreignPaths().first).map(self.words)
    }

    /// Says of a path of `foreignPaths` whose it is, and gives the remedy.
    func words(_ path: String) -> String {
        let user = FileFacts("\(self.path)/\(path)").map { Self.name(of: $0.user) } ?? "another user"
        let owner = FileFacts(self.path).map { Self.name(of: $0.user) } ?? "its owner"
        return "\(self.path)/\(path) belongs to \(user), the sandbox to \(owner), who cannot use the file; as root "
            + "run: \(self.remedy)"
    }

    /// A user for messages: the number and, where there is one, the name.
    static func name(of user: uid_t) -> String {
        guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return "user \(user)" }
        return "user \(user) (\(String(cString: name)))"
    }
}
