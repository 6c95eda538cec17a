import CardModel
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// The database file of the sandbox: snapshots for reading, and one writer that commits queued changes in groups.
///
/// The changes of a group share one transaction. Each has its own savepoint, so that a failed change is rolled back alone, and
/// `write` returns after the commit, when the change is durable. A single change that comes after a pause does not wait for
/// others.
final class Database: Sendable {
    private struct Change: Sendable {
        /// Makes the change; the closure that it returns resumes the caller, once the commit is durable.
        let make: @Sendable (Transaction) throws -> @Sendable () -> Void
        /// Resumes the caller with the error because of which the change was not made.
        let refuse: @Sendable (any Error) -> Void
        let byteCount: Int
        let usesReserve: Bool
        let time: Timestamp?
    }

    /// The database and its log by device and inode.
    private struct OpenedFiles: Sendable {
        private let paths: [String]
        private var identities: [String: [UInt64]] = [:]

        init(database path: String) {
            self.paths = [path, path + "-wal"]
            _ = self.areInPlace()
        }

        /// Whether the paths still name the same files; a log that is created later is included from then on.
        mutating func areInPlace() -> Bool {
            for path in self.paths {
                let identity = Self.identity(of: path)
                if let known = self.identities[path], known != identity { return false }
                self.identities[path] = identity
            }
            return true
        }

        private static func identity(of path: String) -> [UInt64]? {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return [UInt64(status.st_dev), UInt64(status.st_ino)]
        }
    }

    private typealias Outcome = Result<@Sendable () -> Void, any Error>

    private struct State: Sendable {
        var queue: [Change] = []
        var isDraining = false
        /// The failure of a flush. Nothing more is written then, since it is unknown what is durable until the file is opened
        /// again.
        var failure: DatabaseError?
        /// The number of changes in the last group, and when it began, in nanoseconds of uptime.
        var lastGroup = (count: 0, begunAt: UInt64(0))
    }

    private let pool: DatabasePool
    /// The files as they were opened. They are checked before each commit, since writes to replaced files would be lost.
    private let files: Mutex<OpenedFiles>
    /// Frees space on a full disk; returns whether there was any to free.
    private let onFull: @Sendable () -> Bool
    private let state = Mutex(State())

    /// Opens a file that exists.
    ///
    /// - Throws: `DatabaseError`.
    init(path: String, onFull: @escaping @Sendable () -> Bool = { false }) throws {
        self.onFull = onFull
        var configuration = Configuration()
        configuration.busyMode = .timeout(Limits.busyTimeout)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = Limits.readers
        configuration.prepareDatabase { connection in
            try connection.execute(sql: "PRAGMA secure_delete = ON")
            try Self.keepTemporaryInMemory(connection)
        }
        do {
            self.pool = try DatabasePool(path: path, configuration: configuration)
            // GRDB sets NORMAL after preparing, which can lose commits: https://www.sqlite.org/pragma.html#pragma_synchronous
            let level = try self.pool.writeWithoutTransaction { connection in
                try connection.execute(sql: "PRAGMA synchronous = FULL")
                return try Int.fetchOne(connection, sql: "PRAGMA synchronous")
            }
            guard level == 2 else { throw DatabaseError(.unavailable, "synchronous is not FULL") }
            self.files = Mutex(OpenedFiles(database: path))
        } catch {
            throw Self.translated(error)
        }
    }

    /// What tells whether a database file is a sandbox, and of which build.
    struct Marks {
        /// The `application_id` of the program that made it.
        let application: Int
        let version: Int
        /// The digest of the schema with which the file was made, if it is a sandbox.
        let schema: String?
        /// Whether the file has no tables.
        let isEmpty: Bool

        /// Whether the file is a sandbox with the schema of this build.
        var isKnown: Bool { self.application == Schema.applicationID && self.schema == Schema.digest }
    }

    /// Reads the marks of a file without changing it, unless its creation was interrupted: then SQLite must roll back first.
    static func marks(of path: String) throws -> Marks {
        func read(_ connection: GRDB.Database) throws -> Marks {
            Marks(
                application: try Int.fetchOne(connection, sql: "PRAGMA application_id") ?? 0,
                version: try Int.fetchOne(connection, sql: "PRAGMA user_version") ?? 0,
                schema: try Self.schema(connection),
                isEmpty: try Int.fetchOne(connection, sql: "SELECT count(*) FROM sqlite_master") == 0
            )
        }
        do {
            return try Self.withFile(path, readonly: true, read)
        } catch let error as GRDB.DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
            do { return try Self.withFile(path, read) } catch { throw Self.translated(error) }
        } catch {
            throw Self.translated(error)
        }
    }

    /// Returns the digest of the schema; `nil` only if the table is missing. Throws other errors, which say nothing about the file.
    private static func schema(_ connection: GRDB.Database) throws -> String? {
        do {
            return try String.fetchOne(connection, sql: "SELECT schema FROM store")
        } catch let error as GRDB.DatabaseError where error.resultCode == .SQLITE_ERROR {
            return nil
        }
    }

    /// Opens a file outside the pool for a short task, which runs outside any transaction, and closes it.
    static func withFile<Value>(
        _ path: String,
        readonly: Bool = false,
        _ body: (GRDB.Database) throws -> Value
    ) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = readonly
        configuration.busyMode = .timeout(Limits.fileTimeout)
        configuration.prepareDatabase(Self.keepTemporaryInMemory)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.inDatabase { connection in
            do { return try body(connection) } catch let error as GRDB.DatabaseError
                where error.resultCode == .SQLITE_IOERR
            {
                throw Self.translated(error, on: connection)
            }
        }
    }

    /// Keeps sorted rows and statement journals in memory: they have personal data, and must not be written outside the sandbox.
    private static func keepTemporaryInMemory(_ connection: GRDB.Database) throws {
        try connection.execute(sql: "PRAGMA temp_store = MEMORY")
    }

    /// Runs statements on one snapshot.
    func read<Value: Sendable>(
        at time: Timestamp? = nil,
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.pool.asyncUnsafeRead { result in
                let value = Result { try Transaction(result.get(), at: time).inSnapshot(body) }
                continuation.resume(with: value.mapError { Self.translated($0) })
            }
        }
    }

    /// Makes a change, whole or not at all; durable when this returns.
    ///
    /// - Parameters:
    ///   - time: the time of the change; by default that of the system's clock.
    ///   - numbers: the business numbers that the change reads and then writes. Unused here, since SQLite has only one writer; a
    ///     database with several writers would lock them.
    ///   - byteCount: the approximate bytes that the change writes in large values.
    ///   - usesReserve: whether the change may use up the reserve for a full disk; admissions may not.
    ///   - change: the change; it may run again if another change of the same group breaks the transaction.
    @discardableResult
    func write<Value: Sendable>(
        at time: Timestamp? = nil,
        locking numbers: [String] = [],
        byteCount: Int = 0,
        usesReserve: Bool = true,
        _ change: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.enqueue(
                Change(
                    make: { transaction in
                        let value = try change(transaction)
                        return { continuation.resume(returning: value) }
                    },
                    refuse: { continuation.resume(throwing: $0) },
                    byteCount: byteCount,
                    usesReserve: usesReserve,
                    time: time
                )
            )
        }
    }

    /// Runs pragmas, checkpoints or the creation of tables on the writing connection, outside any transaction.
    func withWriter<Value: Sendable>(_ body: @escaping @Sendable (GRDB.Database) throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            self.pool.asyncWriteWithoutTransaction { connection in
                continuation.resume(
                    with: Result { try body(connection) }.mapError { Self.translated($0, on: connection) }
                )
            }
        }
    }

    /// Copies the log into the file and closes every connection. The pool closes a reading connection last, which would leave
    /// the log. If another process is reading, the log stays; this does not wait for that process.
    func close() throws {
        // A barrier, since open snapshots of this process would prevent the checkpoint.
        try? self.pool.barrierWriteWithoutTransaction { connection in
            try connection.execute(sql: "PRAGMA busy_timeout = 0")
            try connection.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try self.pool.close()
    }

    // MARK: Groups

    /// Queues a change, and starts committing unless that is in progress.
    private func enqueue(_ change: Change) {
        let mustDrain = self.state.withLock { state in
            state.queue.append(change)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if mustDrain { self.drain() }
    }

    /// Commits one group at a time, so that other work gets the connection in between.
    private func drain() {
        self.pool.asyncWriteWithoutTransaction { connection in
            self.waitForMoreChanges()
            self.commit(self.nextGroup(), on: connection)
            let hasMore = self.state.withLock { state in
                state.isDraining = !state.queue.isEmpty
                return state.isDraining
            }
            if hasMore { self.drain() }
        }
    }

    /// While several tasks write, waits until some time after the start of the last group, so that the next one is larger.
    private func waitForMoreChanges() {
        let now = DispatchTime.now().uptimeNanoseconds
        let since = self.state.withLock { state in
            max(state.lastGroup.count, state.queue.count) > 1 ? (now - state.lastGroup.begunAt) / 1_000 : .max
        }
        if since < Limits.commitPace { usleep(UInt32(Limits.commitPace - since)) }
    }

    /// Removes and returns the queued changes that one commit can take.
    private func nextGroup() -> [Change] {
        let now = DispatchTime.now().uptimeNanoseconds
        return self.state.withLock { state in
            var count = 0
            var bytes = 0
            for change in state.queue.prefix(Limits.changesPerCommit) {
                bytes += change.byteCount
                if count > 0, bytes > Limits.bytesPerCommit { break }
                count += 1
            }
            state.lastGroup = (count, now)
            defer { state.queue.removeFirst(count) }
            return Array(state.queue.prefix(count))
        }
    }

    /// Makes the changes of a group in one transaction, commits it, and resumes the callers.
    private func commit(_ group: [Change], on connection: GRDB.Database) {
        if let failure = self.state.withLock({ $0.failure }) { return group.forEach { $0.refuse(failure) } }
        let transaction = Transaction(connection)
        // A single change is rolled back without a savepoint.
        let isAlone = group.count == 1
        var outcomes: [Outcome] = []
        do {
            // Not by GRDB, which would compile the statement each time.
            try transaction.run("BEGIN IMMEDIATE")
            // Checked under the database's lock: a process that replaces the files holds it meanwhile.
            guard self.files.withLock({ $0.areInPlace() }) else {
                throw DatabaseError(.replaced, "the files are not those that were opened")
            }
            for change in group { outcomes.append(try self.make(change, inSavepoint: !isAlone, on: connection)) }
            let isUndone = if isAlone, case .failure = outcomes[0] { true } else { false }
            try transaction.run(isUndone ? "ROLLBACK" : "COMMIT")
        } catch {
            if connection.isInsideTransaction { try? connection.rollback() }
            return self.retryOrRefuse(group, after: Self.translated(error, on: connection), on: connection)
        }
        for (change, outcome) in zip(group, outcomes) {
            switch outcome {
            case .success(let acknowledge): acknowledge()
            case .failure(let error): change.refuse(error)
            }
        }
    }

    /// Makes one change; returns its error if only this change failed, and throws if the whole transaction did.
    private func make(_ change: Change, inSavepoint: Bool, on connection: GRDB.Database) throws -> Outcome {
        let transaction = Transaction(connection)
        if inSavepoint { try transaction.run("SAVEPOINT change") }
        let outcome = Outcome { try Transaction(connection, at: change.time).whole(change.make) }
            .mapError { Self.translated($0, on: connection) }
        // SQLite ends the whole transaction after some errors, such as a full disk.
        guard connection.isInsideTransaction else { throw DatabaseError(.full, "the transaction ended early") }
        if case .failure(let error as DatabaseError) = outcome, error.mayMeanNoRoom { throw error }
        if inSavepoint {
            if case .failure = outcome { try transaction.run("ROLLBACK TO change") }
            try transaction.run("RELEASE change")
        }
        return outcome
    }

    /// Handles a failed transaction. A single change gets the error. Several changes are made again one by one, so that only
    /// the one that broke the transaction fails.
    private func retryOrRefuse(_ group: [Change], after error: any Error, on connection: GRDB.Database) {
        let kind = (error as? DatabaseError)?.kind
        if let error = error as? DatabaseError, error.mayMeanNoRoom, group.allSatisfy(\.usesReserve), self.onFull() {
            return self.commit(group, on: connection)
        }
        if kind == .outcomeUnknown { self.state.withLock { $0.failure = error as? DatabaseError } }
        if group.count > 1, kind != .outcomeUnknown, kind != .busy {
            for change in group { self.commit([change], on: connection) }
        } else {
            for change in group { change.refuse(error) }
        }
    }

    static func translated(_ error: any Error, on connection: GRDB.Database? = nil) -> any Error {
        guard let error = error as? GRDB.DatabaseError else { return error }
        let errno = connection.map { sqlite3_system_errno($0.sqliteConnection) }
        return DatabaseError(code: error.extendedResultCode.rawValue, text: error.message ?? "", errno: errno)
    }
}
