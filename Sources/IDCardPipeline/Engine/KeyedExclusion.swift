import Synchronization

/// Lets one task at a time work under a key; the next one finds what the first left behind and need not repeat it.
package final class KeyedExclusion<Key: Hashable & Sendable>: Sendable {
    private struct State {
        /// The keys in use, with those who wait for them in order of arrival.
        var queues: [Key: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state = Mutex(State())

    /// Makes an exclusion in which nothing runs.
    package init() {}

    /// Runs a function while no other runs under the same key.
    package func run<Value: Sendable>(under key: Key, _ body: () async throws -> Value) async rethrows -> Value {
        await self.acquire(key)
        defer { self.release(key) }
        return try await body()
    }

    private func acquire(_ key: Key) async {
        await withCheckedContinuation { continuation in
            let isFree = self.state.withLock { state in
                guard state.queues[key] != nil else {
                    state.queues[key] = []
                    return true
                }
                state.queues[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func release(_ key: Key) {
        let next = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard var queue = state.queues[key], !queue.isEmpty else {
                state.queues[key] = nil
                return nil
            }
            let first = queue.removeFirst()
            state.queues[key] = queue
            return first
        }
        next?.resume()
    }
}
