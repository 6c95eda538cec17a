import Synchronization

/// Something happened, so many times; others wait for the next time.
final class AsyncSignal: Sendable {
    private struct State {
        var count = 0
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func signal() {
        let ready = self.state.withLock { state in
            state.count += 1
            let ready = state.waiting.filter { $0.count <= state.count }
            state.waiting.removeAll { $0.count <= state.count }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until it has happened so many times in all.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isReady = self.state.withLock { state in
                if state.count < count { state.waiting.append((count, continuation)) }
                return state.count >= count
            }
            if isReady { continuation.resume() }
        }
    }
}
