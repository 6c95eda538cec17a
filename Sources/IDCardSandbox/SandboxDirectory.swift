import Glibc
import IDCardPipeline

/// The directory of a sandbox and the files in it: made for their owner's eyes only, whatever the umask.
struct SandboxDirectory: Sendable {
    private static let directoryMode: mode_t = 0o700
    private static let fileMode: mode_t = 0o600

    let path: String

    var database: String { "\(self.path)/sandbox.sqlite3" }
    /// SQLite's write-ahead log of the database.
    var log: String { "\(self.database)-wal" }
    /// Room that is given up when the disk is full.
    var ballast: String { "\(self.path)/ballast" }
    /// Whose turn it is to write.
    var writeLock: String { "\(self.path)/write.lock" }
    var openingLock: String { "\(self.path)/opening.lock" }
    /// The certificates of all erasures, one JSON object a line; beside the database, so that a backup that is put back
    /// does not take them away.
    var erasures: String { "\(self.path)/erasures.jsonl" }
    var owners: String { "\(self.path)/owners" }

    /// Takes a path, made absolute so that a later change of directory does not matter.
    ///
    /// - Throws: `StoreError.notFound` for an empty path, `StoreError.unavailable` if root may not act as the owner.
    init(_ path: String) throws {
        guard !path.isEmpty else { throw StoreError(.notFound, "the path of the sandbox is empty; name a directory") }
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        if path.hasPrefix("/") {
            self.path = path
        } else {
            guard let working = getcwd(nil, 0) else { throw Self.failure("the working directory cannot be read") }
            defer { free(working) }
            self.path = "\(String(cString: working))/\(path)"
        }
        try self.adoptOwner()
    }

    func ownerFile(of id: String) -> String { "\(self.owners)/\(id)" }

    /// Whether a database file is there.
    var hasDatabase: Bool { FileCall.access(self.database, F_OK) == 0 }
    /// Whether something was written to it; it is made empty.
    var hasBegunDatabase: Bool {
        var status = stat()
        return FileCall.stat(self.database, &status) == 0 && status.st_size > 0
    }

    /// Makes the directories and an empty database file where they are missing, and closes them to others.
    func create() throws {
        try self.createFolders()
        let descriptor = FileCall.open(self.database, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, Self.fileMode)
        if descriptor >= 0 {
            Glibc.close(descriptor)
        } else if errno != EEXIST {
            throw Self.failure("the file \(self.database) cannot be made")
        }
        // By path: closing a second descriptor of an open SQLite file would drop the locks of this process on it.
        // SQLite gives its `-wal` and `-shm` files the mode of the database.
        try self.setMode(Self.fileMode, of: self.database)
    }

    /// Makes the directories where they are missing, and closes them to others.
    func createFolders() throws {
        try self.makeDirectory(self.path)
        try self.makeDirectory(self.owners)
    }

    private func makeDirectory(_ path: String, parentIsThere: Bool = false) throws {
        if FileCall.mkdir(path, Self.directoryMode) == 0 {
            try self.setMode(Self.directoryMode, of: path)
            return try self.synchronise(Self.parent(of: path))
        }
        switch errno {
        case EEXIST:
            try self.tighten(path)
        case ENOENT where path != "/" && !parentIsThere:
            try self.makeDirectory(Self.parent(of: path))
            // Some file systems (procfs) answer ENOENT for what cannot be made: ask once more, not for ever.
            try self.makeDirectory(path, parentIsThere: true)
        default:
            throw Self.failure("the directory \(path) cannot be made")
        }
    }

    /// Closes an existing directory to others; one that also holds other things is refused rather than closed.
    private func tighten(_ path: String) throws {
        var status = stat()
        guard FileCall.stat(path, &status) == 0 else { throw Self.failure("the directory \(path) cannot be looked at") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw StoreError(.unavailable, "\(path) is not a directory; name another sandbox")
        }
        guard path == self.path || path == self.owners, status.st_mode & 0o077 != 0 else { return }
        guard try self.hasDatabase || Self.isEmpty(path) else {
            throw StoreError(
                .unavailable,
                "the directory \(path) holds other files and others may look into it; "
                    + "name a new directory as the sandbox"
            )
        }
        try self.setMode(Self.directoryMode, of: path)
    }

    private static func isEmpty(_ path: String) throws -> Bool {
        guard let directory = FileCall.opendir(path) else {
            throw Self.failure("the directory \(path) cannot be listed")
        }
        defer { closedir(directory) }
        var count = 0
        // `.` and `..` are always there.
        while count < 3, readdir(directory) != nil { count += 1 }
        return count < 3
    }

    private func setMode(_ mode: mode_t, of path: String) throws {
        var status = stat()
        guard FileCall.stat(path, &status) == 0 else { throw Self.failure("\(path) cannot be looked at") }
        guard status.st_mode & 0o777 != mode else { return }
        guard FileCall.chmod(path, mode) == 0 else { throw Self.failure("the mode of \(path) cannot be set") }
    }

    /// Makes a new name in a directory durable.
    private func synchronise(_ path: String) throws {
        let descriptor = FileCall.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("the directory \(path) cannot be opened") }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure("the directory \(path) cannot be made durable") }
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func failure(_ what: String) -> StoreError {
        let error = errno
        return StoreError(
            .unavailable,
            "\(what): \(String(cString: strerror(error))); check the path, its owner and the free space"
        )
    }
}
