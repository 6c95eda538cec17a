import GRDB
import IDCardPipeline
import Synchronization

/// The one door for writes: every change of the sandbox is one transaction that goes through here.
///
/// A change runs in an immediate transaction, so what it reads cannot change before it writes, and it is durable when
/// `write` returns. Work that has reached the door is finished even if the task that brought it is cancelled: an
/// outcome that happened must be written down.
final class SandboxWriter: Sendable {
    private let pool: DatabasePool
    private let failedSync = Mutex<(any Error)?>(nil)

    init(pool: DatabasePool) {
        self.pool = pool
    }

    /// Makes a change, whole or not at all.
    ///
    /// - Throws: what `change` throws, with SQLite's errors translated; nothing is changed then.
    func write<Value: Sendable>(_ change: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.pool.asyncWriteWithoutTransaction { db in
                continuation.resume(with: Result { try self.commit(change, in: db) })
            }
        }
    }

    /// Runs something on the writing connection outside any transaction (pragmas, checkpoints).
    func withConnection<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.pool.asyncWriteWithoutTransaction { db in
                continuation.resume(
                    with: Result {
                        do { return try body(db) } catch { throw StoreError.translating(error) }
                    }
                )
            }
        }
    }

    private func commit<Value>(_ change: (Database) throws -> Value, in db: Database) throws -> Value {
        if let error = self.failedSync.withLock({ $0 }) { throw error }
        var result: Result<Value, any Error>?
        do {
            try db.inTransaction(.immediate) {
                result = .success(try change(db))
                return .commit
            }
        } catch {
            let translated = StoreError.translating(error)
            if let error = error as? DatabaseError, error.isFailedSync {
                // What follows a failed fsync would build on data that may be lost: the door stays shut until the
                // sandbox is opened again.
                self.failedSync.withLock { $0 = translated }
            }
            throw translated
        }
        guard let result else { throw StoreError(.unavailable, "the change did not run; please report this") }
        return try result.get()
    }
}
