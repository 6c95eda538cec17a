import GRDB

/// A change that waits at the door: how to make it, and whom to tell what became of it.
struct QueuedChange: Sendable {
    /// About how many bytes it writes beside its rows; images, above all.
    let byteCount: Int
    /// Whether it may take up what is kept in reserve for a full disk.
    let mayUseReserve: Bool
    /// Makes the change; what it returns tells the caller, and is called once the change is durable.
    let make: @Sendable (Database) throws -> @Sendable () -> Void
    /// Tells the caller that nothing was changed, and why.
    let refuse: @Sendable (any Error) -> Void

    init<Value: Sendable>(
        byteCount: Int,
        mayUseReserve: Bool,
        change: @escaping @Sendable (Database) throws -> Value,
        continuation: CheckedContinuation<Value, any Error>
    ) {
        self.byteCount = byteCount
        self.mayUseReserve = mayUseReserve
        self.make = { db in
            let value = try change(db)
            return { continuation.resume(returning: value) }
        }
        self.refuse = { continuation.resume(throwing: $0) }
    }
}
