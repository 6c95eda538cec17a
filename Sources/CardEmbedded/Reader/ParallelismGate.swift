import Synchronization

/// Lets at most a fixed number of callers through at once; the others wait in order of arrival.
///
/// A waiter is not woken by cancellation: those before it are bounded by a time limit, so its turn comes.
final class ParallelismGate: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(limit: Int) {
        precondition(limit > 0, "a gate must let at least one caller through, not \(limit)")
        self.state = Mutex(State(free: limit))
    }

    func withSlot<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        await self.enter()
        defer { self.leave() }
        try Task.checkCancellation()
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let entered = self.state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if entered { continuation.resume() }
        }
    }

    private func leave() {
        let next = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
