import Synchronization

/// A value that takes time to compute: one task computes it at a time, and it is cached for a while.
final class CachedValue<Value: Sendable>: Sendable {
    private struct State {
        var value: (until: Duration, Value)?
        var computation: Task<Value, any Error>?
    }

    private let state = Mutex(State())

    /// Returns the cached value, or computes it once.
    ///
    /// - Parameter time: returns how long the value is cached, given how long it took to compute.
    func value(
        for time: @escaping @Sendable (_ took: Duration) -> Duration,
        _ compute: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let start = ConnectionGuard.now
        let computation = self.state.withLock { state in
            if let (until, value) = state.value, start < until { return Task<Value, any Error> { value } }
            if let computation = state.computation { return computation }
            let computation = Task {
                defer { self.state.withLock { $0.computation = nil } }
                let value = try await compute()
                let now = ConnectionGuard.now
                self.state.withLock { $0.value = (now + time(now - start), value) }
                return value
            }
            state.computation = computation
            return computation
        }
        return try await computation.value
    }

    /// Returns the value, or `nil` if it is not computed within `patience`; the computation continues all the same.
    func value(
        for time: @escaping @Sendable (_ took: Duration) -> Duration,
        within patience: Duration,
        _ compute: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let (answers, answer) = AsyncThrowingStream.makeStream(of: Value.self)
        Task {
            do { answer.yield(try await self.value(for: time, compute)) } catch { answer.finish(throwing: error) }
        }
        Task {
            try? await Task.sleep(for: patience)
            answer.finish()
        }
        return try await answers.first { _ in true }
    }
}
