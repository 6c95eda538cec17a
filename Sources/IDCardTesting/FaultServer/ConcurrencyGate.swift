import Synchronization

/// Lets so many requests through at a time, as the verification vendors do per key, and counts what it did.
///
/// A request counts from its last byte until its answer is out; one that comes on top of the limit is answered at once
/// with ``FaultReply/concurrencyLimitExceeded``. One gate may stand in front of several scripts and servers.
package final class ConcurrencyGate: Sendable {
    private struct State {
        var inside = 0
        var most = 0
        var admitted = 0
        var refused = 0
    }

    /// How many requests are let through at a time.
    package let limit: Int
    /// How long an admitted request is worked on before it is answered, in milliseconds.
    package let holdingMilliseconds: Int
    private let state = Mutex(State())

    /// Makes a gate.
    package init(limit: Int, holdingMilliseconds: Int = 20) {
        precondition(limit > 0, "a gate lets at least 1 request through, got \(limit)")
        self.limit = limit
        self.holdingMilliseconds = holdingMilliseconds
    }

    /// How many requests were let through.
    package var admitted: Int { self.state.withLock { $0.admitted } }
    /// How many requests were refused.
    package var refused: Int { self.state.withLock { $0.refused } }
    /// The most requests that were inside at one moment; never more than the limit.
    package var mostInside: Int { self.state.withLock { $0.most } }

    func enter() -> Bool {
        self.state.withLock { state in
            guard state.inside < self.limit else {
                state.refused += 1
                return false
            }
            state.inside += 1
            state.admitted += 1
            state.most = max(state.most, state.inside)
            return true
        }
    }

    func leave() {
        self.state.withLock { $0.inside -= 1 }
    }
}
