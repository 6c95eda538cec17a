import CardModel
import CardStore
import Synchronization

/// The gate of an endpoint within this process, and its rest in the sandbox, which every process obeys.
final class EndpointGate: Sendable {
    private struct State {
        var gate: Gate
        var stoppedBy: RemoteFailure?
        /// Whether a rest of the endpoint stands in the sandbox.
        var isWrittenDown = false
        /// The rest that was taken over or written down last: it holds once, however long it stands there by a clock that was wrong.
        var known: EndpointRest?
    }

    let endpoint: String
    private let state: Mutex<State>
    private let store: CardStore
    private let time: EngineTime

    init(endpoint: String, gate: Gate, store: CardStore, time: EngineTime) {
        self.endpoint = endpoint
        self.state = Mutex(State(gate: gate))
        self.store = store
        self.time = time
    }

    /// Takes over what another process, or an earlier one, was asked for.
    func restore(from rests: [EndpointRest]) {
        guard let rest = rests.first(where: { $0.endpoint == self.endpoint }) else { return }
        // Stops are found out by one probe, since whoever starts a run may have mended the cause. A rest is never longer than it
        // was written down for, whatever the clock did since.
        guard rest.failureClass != .stop else {
            return self.state.withLock { $0.isWrittenDown = true }
        }
        let left = min(rest.until.duration(since: self.time.now()), rest.until.duration(since: rest.setAt))
        self.state.withLock { state in
            state.isWrittenDown = true
            guard state.known != rest else { return }
            state.known = rest
            state.gate.rest(for: left, isStop: false, at: self.time.steady())
        }
    }

    var places: Int { self.state.withLock { $0.gate.places(at: self.time.steady()) } }
    /// Whether the endpoint is to be left alone: also what was claimed just before is not sent.
    var isResting: Bool { self.state.withLock { $0.gate.isResting(at: self.time.steady()) } }
    var isFailing: Bool { self.state.withLock { $0.gate.isFailing } }
    /// What stopped the endpoint, while it is stopped.
    var stoppedBy: RemoteFailure? { self.state.withLock { $0.gate.stopsInRow > 0 ? $0.stoppedBy : nil } }

    /// Whether a batch need not wait for the endpoint: probes of other cards met the same word.
    var isStoppedForGood: Bool { self.state.withLock { $0.gate.stopsInRow >= Limits.stopsInRow } }

    /// How long until a call may begin, if none may now.
    var wait: Duration? {
        self.state.withLock { state in
            let now = self.time.steady()
            return state.gate.opens(after: now).map { $0 - now }
        }
    }

    func begin(_ count: Int) { self.state.withLock { $0.gate.begin(count, at: self.time.steady()) } }

    /// Begins a call if there is a place for one.
    func tryBegin() -> Bool {
        self.state.withLock { state in
            let now = self.time.steady()
            guard state.gate.places(at: now) > 0 else { return false }
            state.gate.begin(1, at: now)
            return true
        }
    }

    /// Whether calls are under way.
    var isUnderWay: Bool { self.state.withLock { $0.gate.isUnderWay } }

    func withdraw() { self.state.withLock { $0.gate.withdraw() } }

    /// What is to be written down of a call that has ended.
    enum Note: Sendable {
        /// Nothing.
        case none
        /// That the endpoint rests no more.
        case over
        /// A rest that outlives the process.
        case rest(EndpointRest)
    }

    /// A call ended, and its place is free; what other processes are to know is written down by ``write(_:)``.
    ///
    /// The gate hears of a failure before the call is concluded, since its card may be due again at once; it is written down
    /// after it, since the outcome must not be lost for a note about the endpoint.
    func end(_ result: Gate.Result, failure: RemoteFailure?) -> Note {
        self.state.withLock { state in
            let now = self.time.steady()
            state.gate.end(result, at: now)
            if result == .stopped { state.stoppedBy = failure }
            if result == .answered {
                // What was under way before a rest began does not end it, for others either.
                guard state.gate.isOpen else { return .none }
                defer { state.isWrittenDown = false }
                return state.isWrittenDown ? .over : .none
            }
            guard let failure, let until = state.gate.opens(after: now), Self.outlivesProcess(result) else {
                return .none
            }
            let date = self.time.now()
            let rest = EndpointRest(
                endpoint: self.endpoint,
                until: date.advanced(by: until - now),
                failureClass: failure.failureClass,
                code: failure.code,
                setAt: date
            )
            state.isWrittenDown = true
            state.known = rest
            return .rest(rest)
        }
    }

    /// Writes down what other processes are to know of the endpoint.
    func write(_ note: Note) async throws {
        switch note {
        case .none: return
        case .over: try await self.store.set(nil, of: self.endpoint)
        case .rest(let rest): try await self.store.set(rest, of: self.endpoint)
        }
    }

    /// What the endpoint said in words holds for others; that it did not answer, they find out by themselves.
    private static func outlivesProcess(_ result: Gate.Result) -> Bool {
        switch result {
        case .stopped: true
        case .throttled(let retryAfter): retryAfter != nil
        case .answered, .failed: false
        }
    }
}

extension RemoteFailure {
    /// The endpoint began to rest after a call was claimed and before it was sent.
    static let withheld = RemoteFailure(
        .notSent,
        code: "endpoint_rests",
        message: "the endpoint began to rest before the call"
    )
}
