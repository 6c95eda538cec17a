import Synchronization

/// A value that takes time to compute: one task computes it at a time, and it is cached for a while.
final class CachedValue<Value: Sendable>: Sendable {
    private struct State {
        var value: (until: Duration, Value)?
        var finding: Task<Value, any Error>?
    }

    private let state = Mutex(State())

    /// Returns the cached value, or computes it once.
    ///
    /// - Parameter time: how long the value is cached, from how long it took to compute.
    func value(
        for time: @escaping @Sendable (_ took: Duration) -> Duration,
        _ find: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let start = ConnectionGuard.now
        let finding = self.state.withLock { state in
            if let (until, value) = state.value, start < until { return Task<Value, any Error> { value } }
            if let finding = state.finding { return finding }
            let finding = Task {
                defer { self.state.withLock { $0.finding = nil } }
                let value = try await find()
                let end = ConnectionGuard.now
                self.state.withLock { $0.value = (end + time(end - start), value) }
                return value
            }
            state.finding = finding
            return finding
        }
        return try await finding.value
    }

    /// Returns `nil` if the value is not there within `patience`; the computation continues all the same.
    func value(
        for time: @escaping @Sendable (_ took: Duration) -> Duration,
        within patience: Duration,
        _ find: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let (answers, answer) = AsyncThrowingStream.makeStream(of: Value.self)
        Task {
            do { answer.yield(try await self.value(for: time, find)) } catch { answer.finish(throwing: error) }
        }
        Task {
            try? await Task.sleep(for: patience)
            answer.finish()
        }
        return try await answers.first { _ in true }
    }
}
