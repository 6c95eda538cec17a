import Synchronization

/// Lets callers pass, unless it is closed: then they wait until it opens.
final class AsyncGate: Sendable {
    private struct State {
        var isOpen = true
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func close() { self.state.withLock { $0.isOpen = false } }

    func open() {
        let waiting = self.state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = self.state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

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
