import GRDB
import Glibc
import IDCardPipeline

// The files around a restore.
extension SandboxRestore {
    /// Looks at the file before anything is touched: `backUp` leaves a database without a write-ahead log.
    func requireBackup() throws {
        guard let facts = FileFacts(self.backup), !facts.isDirectory else {
            throw StoreError(.notFound, "there is no backup at \(self.backup); name a file that `backup` has made")
        }
        guard FileFacts(self.directory.database)?.isSameFile(as: facts) != true else {
            throw StoreError(.notFound, "\(self.backup) is the sandbox itself; name a file that `backup` has made")
        }
        let header = try Self.header(of: self.backup)
        guard header.starts(with: Array("SQLite format 3\0".utf8)), header.count == 100 else {
            throw StoreError(
                .corrupt,
                "\(self.backup) is not a backup of a sandbox; name a file that `backup` has made"
            )
        }
        // Bytes 18 and 19: 2 stands for a database with a write-ahead log beside it, without which it is not whole.
        guard header[18] == 1, header[19] == 1, FileFacts(self.backup + "-journal") == nil else {
            throw StoreError(
                .corrupt,
                "\(self.backup) is the database of a sandbox, maybe without its latest changes; make a backup of it with "
                    + "`backup`, and restore that"
            )
        }
    }

    private static func header(of path: String) throws -> [UInt8] {
        let descriptor = FileCall.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DurableFile.failure("the backup \(path) cannot be opened") }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return Array(bytes.prefix(max(0, count)))
    }

    /// Makes sure that nobody has the sandbox open, and that nobody opens it until the lock is released.
    func excludeOthers() throws -> FileLock {
        guard let opening = try FileLock.take(path: self.directory.openingLock, creating: true) else {
            throw StoreError(
                .unavailable,
                "another process is opening the sandbox \(self.directory.path); end it, then try again"
            )
        }
        let living = try self.directory.livingOwners()
        guard living == 0 else {
            opening.release()
            throw StoreError(
                .unavailable,
                "\(living == 1 ? "a process has" : "\(living) processes have") the sandbox "
                    + "\(self.directory.path) open; end what runs there, then try again"
            )
        }
        return opening
    }

    /// The lists of erasures that count: that of the folder, where there is one, and those that were named.
    func erasureLists() throws -> [String] {
        let own = self.directory.erasures
        return (FileFacts(own) == nil ? [] : [own]) + self.erasures
    }

    /// Moves the old write-ahead log into the old database and has SQLite remove it, so that it cannot be taken for that
    /// of the new one.
    func retirePrevious(canBeRead: Bool) throws {
        if canBeRead, self.directory.hasDatabase { try self.leaveLog() }
        // Without a database, or with one that is none, a log is worth nothing.
        for suffix in ["-wal", "-shm", "-journal"] {
            let path = self.directory.database + suffix
            guard FileFacts(path) != nil else { continue }
            guard FileCall.unlink(path) == 0 else { throw DurableFile.failure("the file \(path) cannot be removed") }
        }
        try DurableFile.synchronise(self.directory.path)
    }

    private func leaveLog() throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: self.directory.database, configuration: configuration)
        defer { try? queue.close() }  // Everything in it is durable by then.
        let mode = try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            return try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
        }
        guard mode == "delete" else {
            throw StoreError(
                .unavailable,
                "somebody reads the sandbox \(self.directory.path); end what runs there, then try again"
            )
        }
    }
}

extension SandboxDirectory {
    /// Whether a name in the folder is that of a database on its way to become the sandbox.
    static func isRestoring(_ name: String) -> Bool { name.hasPrefix("sandbox.sqlite3.restore-") }
}
