import Dispatch
import GRDB
import IDCardPipeline
import Synchronization

/// The one door for writes: every change of the sandbox goes through here.
///
/// Changes that wait are made together, in one immediate transaction each of its own savepoint, and acknowledged after
/// the commit: what a change reads cannot change before it writes, one that fails is rolled back alone, and what `write`
/// returned is durable. While one group is committed the next one gathers; only where throughput counts more than how long
/// one card takes, and no endpoint is kept waiting, a busy writer waits for more (`CommitPace`).
///
/// Work that has reached the door is finished even if the task that brought it is cancelled: an outcome that happened
/// must be written down.
final class SandboxWriter: Sendable {
    /// What has been done since the opening; counts, to see how many commits the work costs.
    struct Statistics: Hashable, Sendable {
        /// Commits that changed something: each one waits for the disk.
        var commits = 0
        /// Changes that were acknowledged.
        var changes = 0
        /// Checkpoints that moved everything out of the write-ahead log.
        var checkpoints = 0
    }

    struct State: Sendable {
        var queue: [QueuedChange] = []
        /// Whether the writing queue knows that there is something to do.
        var isSummoned = false
        /// Whether it is to wait for more.
        var pace: CommitPace
        /// Whether nobody is held up by that.
        var mayWait: @Sendable () -> Bool = { true }
        /// Why the door is shut for good, if it is.
        var failure: (any Error)?
        var statistics = Statistics()
    }

    /// A group is acknowledged as a whole: no change waits for more than so many others, or so many bytes.
    static let mostChanges = 256
    static let mostBytes = 16 << 20

    let pool: DatabasePool
    let turn: WriteTurn
    let disk: SandboxDisk
    let log: WriteAheadLog
    /// The keys for what is encrypted, if anything is.
    private let keeper: KeyRingKeeper?
    let state: Mutex<State>

    init(pool: DatabasePool, turn: WriteTurn, disk: SandboxDisk, log: WriteAheadLog, keeper: KeyRingKeeper?) {
        self.state = Mutex(State(pace: CommitPace(longest: disk.storage.commitDelay)))
        self.keeper = keeper
        self.pool = pool
        self.turn = turn
        self.disk = disk
        self.log = log
    }

    /// What has been done since the opening.
    var statistics: Statistics { self.state.withLock { $0.statistics } }

    /// Why nothing is written any more, if the disk failed to store something durably.
    var failure: (any Error)? { self.state.withLock { $0.failure } }

    /// Makes a change, whole or not at all.
    ///
    /// - Parameters:
    ///   - byteCount: about how much it writes beside its rows, in bytes.
    ///   - mayUseReserve: whether it may take up what is kept in reserve for a full disk; not so what only begins work.
    ///   - change: the change; on a full disk, with keys that had to be read anew, or when another change made together with
    ///     it fails, it may be called a second time, after all it did was undone.
    /// - Throws: what `change` throws, with SQLite's errors translated; nothing is changed then.
    func write<Value: Sendable>(
        byteCount: Int = 0,
        mayUseReserve: Bool = true,
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        guard let keeper = self.keeper else {
            return try await self.writeOnce(byteCount: byteCount, mayUseReserve: mayUseReserve, change)
        }
        return try await keeper.renewing {
            try await self.writeOnce(byteCount: byteCount, mayUseReserve: mayUseReserve, change)
        }
    }

    private func writeOnce<Value: Sendable>(
        byteCount: Int,
        mayUseReserve: Bool,
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.enqueue(
                QueuedChange(
                    byteCount: byteCount,
                    mayUseReserve: mayUseReserve,
                    change: change,
                    continuation: continuation
                )
            )
        }
    }

    /// Lets a busy writer wait for more only as long as `mayWait` says so.
    func gather(while mayWait: @escaping @Sendable () -> Bool) {
        self.state.withLock { $0.mayWait = mayWait }
    }

    /// Runs something on the writing connection outside any transaction (pragmas, checkpoints).
    func withConnection<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.pool.asyncWriteWithoutTransaction { db in
                continuation.resume(
                    with: Result {
                        do { return try body(db) } catch { throw self.judge(error) }
                    }
                )
            }
        }
    }

    /// Runs something on the writing connection outside any transaction, once every read through the pool has ended.
    ///
    /// A read's transaction ends a moment after its value is there.
    func withConnectionAlone<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.pool.asyncBarrierWriteWithoutTransaction { access in
                continuation.resume(
                    with: Result {
                        do { return try body(access.get()) } catch { throw self.judge(error) }
                    }
                )
            }
        }
    }

    /// Translates an error, and shuts the door if the disk can no longer be trusted.
    func judge(_ error: any Error) -> any Error {
        let translated = StoreError.translating(error)
        if let error = error as? DatabaseError, error.isFailedSync {
            // What follows a failed fsync would build on data that may be lost: the door stays shut until the sandbox is
            // opened again.
            self.state.withLock { $0.failure = $0.failure ?? translated }
        }
        return translated
    }

    private func enqueue(_ change: QueuedChange) {
        let (mustSummon, delay) = self.state.withLock { state in
            state.queue.append(change)
            defer { state.isSummoned = true }
            return (!state.isSummoned, state.pace.arrived(at: .now))
        }
        if mustSummon { self.summon(after: delay) }
    }

    private func summon(after delay: Duration) {
        guard delay > .zero, self.state.withLock(\.mayWait)() else { return self.summon() }
        // The connection is free meanwhile.
        DispatchQueue.global().asyncAfter(deadline: .now() + delay / .seconds(1)) { self.summon() }
    }

    /// One group at a time, so that what else waits for the connection gets it in between.
    private func summon() {
        self.pool.asyncWriteWithoutTransaction { db in
            self.commit(self.nextGroup(), in: db)
            let (hasMore, delay) = self.state.withLock { state in
                state.isSummoned = !state.queue.isEmpty
                return (state.isSummoned, state.pace.delay(at: .now, waiting: state.queue.count))
            }
            if hasMore { self.summon(after: delay) }
        }
    }

    /// Takes out what has waited, in its order, up to the bounds; at least one change.
    private func nextGroup() -> [QueuedChange] {
        self.state.withLock { state in
            var count = 0
            var bytes = 0
            for change in state.queue.prefix(Self.mostChanges) {
                bytes += change.byteCount
                if count > 0, bytes > Self.mostBytes { break }
                count += 1
            }
            defer { state.queue.removeFirst(count) }
            return Array(state.queue.prefix(count))
        }
    }
}
