/// Runs work and a companion until both have ended; an error of one ends the other.
///
/// - Parameter cancelling: whether the end of the work is that of the companion, too, which has none of its own.
func running<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value,
    cancelling: Bool = false,
    beside companion: @escaping @Sendable () async throws -> Void
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await companion()
            return nil
        }
        var value: Value?
        while let ended = try await group.next() {
            guard let ended else { continue }
            value = ended
            if cancelling { group.cancelAll() }
        }
        guard let value else { throw CancellationError() }
        return value
    }
}
