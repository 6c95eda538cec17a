import CardModel
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// The one file of the sandbox: snapshots for reading, and one writer that commits what is queued in groups.
///
/// Changes that wait are made in one immediate transaction, several each under its own savepoint, and acknowledged after the
/// commit: one that fails is rolled back alone, and what `write` returned is durable. A change after a while alone waits for no others.
final class Database: Sendable {
    private struct Change: Sendable {
        /// Makes the change; what it returns resumes whoever waits, once the commit is durable.
        let make: @Sendable (Transaction) throws -> @Sendable () -> Void
        /// Answers that it was not made.
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

        /// Whether they still bear their names; a log that was not there before is one of them from now on.
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
        /// After a failed flush nothing is written any more: nobody knows what is durable until the file is opened again.
        var failure: DatabaseError?
        /// How many changes the last group held, and when it began, in nanoseconds since the machine did.
        var lastGroup = (count: 0, begunAt: UInt64(0))
    }

    private let pool: DatabasePool
    /// The files as they were opened: what is written into others' place would be lost.
    private let files: Mutex<OpenedFiles>
    /// Makes room on a full disk; whether there was any to be made.
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
            // GRDB sets NORMAL after preparing: https://www.sqlite.org/pragma.html#pragma_synchronous loses commits then.
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

    /// What marks a file.
    struct Marks {
        /// By which program it was made.
        let application: Int
        let version: Int
        /// The digest of the schema that it was made with, if it is a sandbox.
        let schema: String?
        /// Whether nothing is in it.
        let isEmpty: Bool

        /// Whether it is a sandbox as this program makes them.
        var isKnown: Bool { self.application == Schema.applicationID && self.schema == Schema.digest }
    }

    /// The file is only read, unless its making was cut off: then SQLite has to undo what was begun before it can be read.
    static func marks(of path: String) throws -> Marks {
        func look(_ connection: GRDB.Database) throws -> Marks {
            Marks(
                application: try Int.fetchOne(connection, sql: "PRAGMA application_id") ?? 0,
                version: try Int.fetchOne(connection, sql: "PRAGMA user_version") ?? 0,
                schema: try Self.schema(connection),
                isEmpty: try Int.fetchOne(connection, sql: "SELECT count(*) FROM sqlite_master") == 0
            )
        }
        do {
            return try Self.withFile(path, readonly: true, look)
        } catch let error as GRDB.DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
            do { return try Self.withFile(path, look) } catch { throw Self.translated(error) }
        } catch {
            throw Self.translated(error)
        }
    }

    /// Only that there is no such table means that there is no digest: a read that failed says nothing of the file.
    private static func schema(_ connection: GRDB.Database) throws -> String? {
        do {
            return try String.fetchOne(connection, sql: "SELECT schema FROM store")
        } catch let error as GRDB.DatabaseError where error.resultCode == .SQLITE_ERROR {
            return nil
        }
    }

    /// Lends a connection to a file, outside any transaction, for something short.
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

    /// What is sorted, and the pages that a statement would restore, hold personal data too: no file outside the sandbox.
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

    /// Makes a change, whole or not at all; durable when it returns.
    ///
    /// - Parameters:
    ///   - time: when it happens.
    ///   - numbers: the business numbers that the change reads and then writes. SQLite has one writer; a driver with several
    ///     locks them.
    ///   - byteCount: about how much it writes beside its rows, in bytes.
    ///   - usesReserve: whether it may use up what is kept for a full disk: not what takes more in.
    ///   - change: the change; it may run again when another one of its group breaks the transaction.
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

    /// Runs something on the writing connection outside any transaction: pragmas, checkpoints, the schema.
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

    /// Closes every connection, with the log taken over into the file: the last connection that closes reads only, and would
    /// leave it. A process that still reads keeps it, and is not waited for.
    func close() throws {
        // A snapshot of this process that is just ending would keep the log from being taken over.
        try? self.pool.barrierWriteWithoutTransaction { connection in
            try connection.execute(sql: "PRAGMA busy_timeout = 0")
            try connection.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try self.pool.close()
    }

    // MARK: Groups

    private func enqueue(_ change: Change) {
        let mustDrain = self.state.withLock { state in
            state.queue.append(change)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if mustDrain { self.drain() }
    }

    /// One group at a time, so that what else waits for the connection gets it in between.
    private func drain() {
        self.pool.asyncWriteWithoutTransaction { connection in
            self.keepPace()
            self.commit(self.nextGroup(), on: connection)
            let hasMore = self.state.withLock { state in
                state.isDraining = !state.queue.isEmpty
                return state.isDraining
            }
            if hasMore { self.drain() }
        }
    }

    /// Where several change the sandbox at a time, waits a little after the last group began, so that more join the next.
    private func keepPace() {
        let now = DispatchTime.now().uptimeNanoseconds
        let since = self.state.withLock { state in
            max(state.lastGroup.count, state.queue.count) > 1 ? (now - state.lastGroup.begunAt) / 1_000 : .max
        }
        if since < Limits.commitPace { usleep(UInt32(Limits.commitPace - since)) }
    }

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

    private func commit(_ group: [Change], on connection: GRDB.Database) {
        if let failure = self.state.withLock({ $0.failure }) { return group.forEach { $0.refuse(failure) } }
        let transaction = Transaction(connection)
        // A change alone needs no savepoint to be undone.
        let isAlone = group.count == 1
        var outcomes: [Outcome] = []
        do {
            // Run here, as every statement is: GRDB would compile it anew each time.
            try transaction.run("BEGIN IMMEDIATE")
            // Asked once the lock is there: the files may be replaced while another process has it.
            guard self.files.withLock({ $0.areInPlace() }) else {
                throw DatabaseError(.replaced, "the files are not those that were opened")
            }
            for change in group { outcomes.append(try self.make(change, inSavepoint: !isAlone, on: connection)) }
            let isUndone = if isAlone, case .failure = outcomes[0] { true } else { false }
            try transaction.run(isUndone ? "ROLLBACK" : "COMMIT")
        } catch {
            if connection.isInsideTransaction { try? connection.rollback() }
            return self.settle(group, after: Self.translated(error, on: connection), on: connection)
        }
        for (change, outcome) in zip(group, outcomes) {
            switch outcome {
            case .success(let acknowledge): acknowledge()
            case .failure(let error): change.refuse(error)
            }
        }
    }

    private func make(_ change: Change, inSavepoint: Bool, on connection: GRDB.Database) throws -> Outcome {
        let transaction = Transaction(connection)
        if inSavepoint { try transaction.run("SAVEPOINT change") }
        let outcome = Outcome { try Transaction(connection, at: change.time).whole(change.make) }
            .mapError { Self.translated($0, on: connection) }
        // Some errors (a full disk) end the whole transaction.
        guard connection.isInsideTransaction else { throw DatabaseError(.full, "the transaction ended early") }
        if case .failure(let error as DatabaseError) = outcome, error.mayMeanNoRoom { throw error }
        if inSavepoint {
            if case .failure = outcome { try transaction.run("ROLLBACK TO change") }
            try transaction.run("RELEASE change")
        }
        return outcome
    }

    /// A change alone takes the error; several are made again one by one, so that the one that breaks the transaction fails
    /// alone.
    private func settle(_ group: [Change], after error: any Error, on connection: GRDB.Database) {
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
