import Synchronization

/// A bounded number of places for what takes much memory or a core for itself; who finds none waits in turn.
package final class WorkPlaces: Sendable {
    /// One place, held until it is given back, or by nobody any more.
    package final class Place: Sendable {
        private let places: WorkPlaces
        private let isHeld = Mutex(true)

        fileprivate init(_ places: WorkPlaces) {
            self.places = places
        }

        deinit { self.giveBack() }

        /// Lets the next one in; once is enough, more often does no harm.
        package func giveBack() {
            let wasHeld = self.isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if wasHeld { self.places.giveBack() }
        }
    }

    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    /// Makes places that are all free.
    package init(_ count: Int) {
        precondition(count >= 1, "there must be at least one place, got \(count)")
        self.state = Mutex(State(free: count))
    }

    /// Waits for a place; not cut short by cancellation, as places become free in any case.
    package func take() async -> Place {
        await withCheckedContinuation { continuation in
            let isFree = self.state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        return Place(self)
    }

    private func giveBack() {
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
