package import CardModel
import Dispatch
import Foundation
import GRDB
import Glibc

/// The content of a backup.
package struct BackupReport: Hashable, Sendable {
    /// The size of the file.
    package var byteCount: Int64
    /// How many cards are in the backup.
    package var cards: Int
    /// The name of the key that opens the backup.
    package var keyID: String
    /// The faults of cards in the sandbox, and so in the backup.
    package var findings: [SandboxFinding]
}

extension SandboxUpkeep {
    /// Copies one snapshot of the sandbox into a file, while other processes continue.
    ///
    /// When this returns, the file is complete, checked and durable; after an error there is no file.
    ///
    /// - Throws: `file_exists` if `path` exists; `disk_space_low`, `sandbox_unavailable`; `sandbox_damaged` if the copy is not
    ///   sound.
    @discardableResult
    package func backUp(to path: String, by origin: AccessOrigin, now: Timestamp) async throws -> BackupReport {
        try await Sandbox.translating {
            var status = stat()
            guard lstat(path, &status) != 0 else { throw Self.fileExists(path) }
            let part = path + ".part"
            // Locks one byte: SQLite needs locks on other bytes of the same file.
            guard let lock = try FileLock.acquire(path: part, creating: true, byteCount: 1), lock.isInPlace else {
                throw CodedError.busy(.backupUnderWay(path))
            }
            defer {
                Database.remove(part)
                lock.release()
            }
            try await self.write(at: now) { tx in
                try AccessLog.append(.backup, of: [nil], by: origin, vault: self.vault, in: tx)
            }
            return try await self.copy(to: path, by: part)
        }
    }

    /// Writes, checks and syncs the copy as `part`, then names it `path`.
    private func copy(to path: String, by part: String) async throws -> BackupReport {
        for suffix in Database.suffixes { unlink(part + suffix) }
        // A killed backup may have left bytes.
        guard truncate(part, 0) == 0, chmod(part, 0o600) == 0 else { throw SandboxFolder.failure(part) }
        do {
            let source = self.sandbox.folder.database
            try await Self.onThread { try Database.vacuum(source, into: part) }
        } catch let error as DatabaseError where error.kind == .full {
            throw CodedError(.diskSpaceLow, .storage, .backupNoRoom(path))
        }
        var report = try await self.check(part)
        try await Self.onThread {
            // Without a log, the backup is a single file, and a restore can tell it from a database whose log is missing.
            try Database.leaveLog(of: part)
            try Database.synchronise(part)
            try Self.name(part, path)
        }
        var status = stat()
        if stat(path, &status) == 0 { report.byteCount = Int64(status.st_size) }
        return report
    }

    /// Checks the copy as a sandbox of its own.
    private func check(_ part: String) async throws -> BackupReport {
        let database = try Database(path: part)
        defer { try? database.close() }
        let (original, vault) = (self.sandbox, self.vault)
        let (folder, id, kind) = (original.folder, original.id, original.kind)
        let copy = Sandbox(database: database, vault: vault, folder: folder, id: id, kind: kind)
        let report = BackupReport(
            byteCount: 0,
            cards: try await database.read { tx in try tx.value("SELECT count(*) FROM card") ?? 0 },
            keyID: try await copy.upkeep.keyInUse(),
            findings: try await copy.upkeep.requireWhole()
        )
        try database.close()
        return report
    }

    /// Checks that a copy is sound as a whole.
    ///
    /// - Returns: the faults of single cards.
    /// - Throws: `sandbox_damaged` if file, references or access log are damaged.
    func requireWhole() async throws -> [SandboxFinding] {
        let findings = try await self.ruleFindings()
        let worthless: Set = ["file_damaged", "reference_missing", "log_broken", "log_gap", "log_end_missing"]
        if let finding = findings.first(where: { worthless.contains($0.code) }) {
            throw CodedError.damaged(.backupNotWhole(finding.code, finding.message))
        }
        return findings
    }

    /// Gives the part its final name, but never replaces another file.
    private static func name(_ part: String, _ path: String) throws {
        if link(part, path) != 0 {
            guard errno != EEXIST else { throw Self.fileExists(path) }
            // Some file systems have no hard links.
            guard access(path, F_OK) != 0, rename(part, path) == 0 else { throw SandboxFolder.failure(path) }
        }
        try DurableFile.synchroniseFolder(DurableFile.folder(of: path))
    }

    private static func fileExists(_ path: String) -> CodedError {
        CodedError(ReasonCode(rawValue: "file_exists"), .usage, .backupExists(path))
    }

    /// Runs long work that waits for the disk on a thread of its own.
    static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "idcard-pipeline.upkeep").async {
                continuation.resume(with: Result { try body() }.mapError { Database.translated($0) })
            }
        }
    }
}

// Database files as a whole, outside the pool.
extension Database {
    static let suffixes = ["-wal", "-shm", "-journal"]

    static func remove(_ path: String) { for suffix in [""] + Self.suffixes { unlink(path + suffix) } }

    /// Copies one snapshot of a database without its free pages; other processes may write meanwhile.
    static func vacuum(_ path: String, into copy: String) throws {
        try Self.withFile(path, readonly: true) { try $0.execute(sql: "VACUUM INTO ?", arguments: [copy]) }
    }

    /// Copies the log into the file and removes it; throws `busy` if another connection has the file open.
    static func leaveLog(of path: String) throws {
        try Self.withFile(path) { connection in
            try connection.execute(sql: "PRAGMA synchronous = FULL")
            guard try String.fetchOne(connection, sql: "PRAGMA journal_mode = DELETE") == "delete" else {
                throw DatabaseError(.busy, "another connection has the file open")
            }
        }
    }

    /// Makes the bytes of a file durable.
    static func synchronise(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SandboxFolder.failure(path) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SandboxFolder.failure(path) }
    }
}
