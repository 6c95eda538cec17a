import CardModel
import CardStore
import Synchronization

/// The gate of an endpoint within this process, and its pause in the sandbox, which every process sees.
final class EndpointGate: StageGate {
    private struct State {
        var gate: Gate
        /// Why the endpoint was last called in vain; `nil` while it works.
        var failure: RemoteFailure?
        /// What was said of the last answer that could not be understood.
        var unreadable: RemoteFailure?
        /// Since when the endpoint took nothing.
        var since: Timestamp?
        /// The pause that stands in the sandbox: each is applied once, even if its end came from a wrong clock.
        var stored: EndpointPause?
        /// Whether answers may stand in the sandbox that cannot be understood: it is asked only then.
        var mayHaveUnreadable = false
    }

    let stage: Stage
    let host: String
    private let state: Mutex<State>
    private let context: EngineContext
    private var time: EngineTime { self.context.time }

    init(_ stage: Stage, of host: String, pace: EngineSettings.Pace, context: EngineContext) {
        let gate = Gate(cap: pace.concurrency, rate: pace.rate, probeInterval: context.settings.probeInterval)
        self.stage = stage
        self.host = host
        self.state = Mutex(State(gate: gate))
        self.context = context
    }

    /// Obeys what stands in the sandbox: what the endpoint asked another process, or an earlier one, for, and answers that cannot
    /// be understood. A pause that was written down and stands there no longer is over: the endpoint works for another process, or
    /// a person wants it called.
    ///
    /// - Parameters:
    ///   - numbers: how many business numbers have an answer that cannot be understood.
    ///   - before: what stood there for this process before the pauses were read.
    ///   - isStart: whether the process begins: where answers are read by other terms now, a probe goes at once.
    /// - Returns: that a stop is over since nothing is left that it is about.
    func restore(
        from pauses: [EndpointPause],
        unreadable numbers: Int,
        before: EndpointPause? = nil,
        isStart: Bool = false
    ) -> PauseChange {
        let pause = pauses.first { $0.stage == self.stage && $0.host == self.host }
        let (now, steady) = (self.time.now(), self.time.steady())
        return self.state.withLock { state in
            // What this process wrote down since then is newer.
            guard state.stored == before else { return .none }
            if state.stored != nil, pause == nil { state.gate.probeNow(at: steady) }
            var wait: (left: Duration, whole: Duration)? = isStart ? (.zero, .zero) : nil
            if let pause, pause != state.stored {
                let left: Duration = pause.wait.isOver(at: now) ? .zero : pause.wait.until.duration(since: now)
                if pause.terms == nil {
                    // One probe finds out about stops and failures, since the operator may have mended the cause.
                    if pause.failureClass == .throttled { state.gate.pause(for: left, at: steady) }
                } else if !isStart || pause.terms == self.terms {
                    wait = (left, pause.wait.until.duration(since: pause.wait.from))
                }
                state.since = state.since ?? pause.since
            }
            state.stored = pause
            // An own answer of this moment may not be counted yet.
            if numbers > 0 || pause?.terms != nil || !state.mayHaveUnreadable {
                state.mayHaveUnreadable = numbers > 0
                state.gate.set(unreadable: numbers, wait: wait, at: steady)
            }
            guard let pause, pause.terms != nil else { return .none }
            state.unreadable = state.unreadable ?? RemoteFailure(.stop, code: pause.code, message: pause.message)
            return numbers > 0 ? .none : .over(pause)
        }
    }

    /// The pause that this process knows to stand in the sandbox.
    var stored: EndpointPause? { self.state.withLock { $0.stored } }
    var places: Int { self.state.withLock { $0.gate.places(at: self.time.steady()) } }
    /// Whether the endpoint is to be left alone: also what was claimed just before is not sent.
    var isPausing: Bool { self.state.withLock { $0.gate.isPausing(at: self.time.steady()) } }
    var isFailing: Bool { self.state.withLock { $0.gate.isFailing } }
    var unreadable: Gate.Unreadable? { self.state.withLock { $0.gate.unreadable } }
    /// Whether what was answered unreadably may go again.
    var probesUnreadable: Bool { self.state.withLock { $0.gate.probesUnreadable(at: self.time.steady()) } }
    var isProbing: Bool { self.state.withLock { $0.gate.isProbing } }
    /// Whether the last call did not reach the endpoint.
    var failsToConnect: Bool { self.state.withLock { $0.failure?.failureClass == .notSent } }
    /// What stopped the endpoint, while it is stopped.
    var stoppedBy: RemoteFailure? {
        self.state.withLock { state in
            guard state.gate.unreadable != nil, var failure = state.unreadable else {
                return state.gate.stopsInRow > 0 ? state.failure : nil
            }
            failure.message = .pauseResume(failure.message, self.stage)
            return failure
        }
    }

    /// Whether a batch need not wait for the endpoint: probes of other cards met the same word.
    func isStoppedForGood(nothingElseIsDue: Bool) -> Bool {
        self.state.withLock { state in
            if let unreadable = state.gate.unreadable, nothingElseIsDue || !unreadable.isLone { return true }
            return state.gate.stopsInRow >= Limits.stopsInRow
        }
    }

    /// How long until a call may begin, if none may now.
    var wait: Duration? {
        self.state.withLock { state in
            let now = self.time.steady()
            return state.gate.opens(after: now).map { $0 - now }
        }
    }

    func begin(_ count: Int) { self.state.withLock { $0.gate.begin(count, at: self.time.steady()) } }

    var isUnderWay: Bool { self.state.withLock { $0.gate.isUnderWay } }

    func withdraw() { self.state.withLock { $0.gate.withdraw() } }

    /// What other processes are to know of the endpoint after a call.
    enum PauseChange: Sendable {
        case none
        /// It works again.
        case over(EndpointPause)
        case pause(EndpointPause)
    }

    /// A call ended, and its place is free; ``write(_:)`` tells other processes.
    ///
    /// The gate hears of a failure before the call is concluded, since its card may be due again at once. The pause is stored
    /// after it: the outcome must not be lost for it.
    func end(_ result: Gate.Result, failure: RemoteFailure?) -> PauseChange {
        self.state.withLock { state in
            let now = self.time.steady()
            state.gate.end(result, at: now)
            if result == .unreadable { (state.mayHaveUnreadable, state.unreadable) = (true, failure) }
            guard result != .answered else {
                // What was under way before a pause began does not end it, for others either.
                guard state.gate.isOpen else { return .none }
                state.since = nil
                state.failure = nil
                defer { state.stored = nil }
                return state.stored.map(PauseChange.over) ?? .none
            }
            let date = self.time.now()
            let since = state.since ?? date
            state.since = since
            state.failure = failure
            // Calls that fail before the endpoint is left alone are told of, too.
            guard result != .unreadable, let failure,
                let until = state.gate.pauseEnd(after: now) ?? (state.gate.isShownAsFailing ? now : nil)
            else { return .none }
            let wait = Wait(from: date, until: date.advanced(by: until - now))
            let pause = self.pause(after: failure, since: since, wait: wait)
            state.stored = pause
            return .pause(pause)
        }
    }

    /// After an answer that cannot be understood, or where nothing else is due beside one: tells other processes if the endpoint
    /// stops for it.
    func writeUnreadable(nothingElseIsDue: Bool) async throws {
        guard self.state.withLock({ $0.mayHaveUnreadable }) else { return }
        let numbers = try await self.context.store.unreadableNumbers(self.stage, now: self.time.now())
        let pause = self.state.withLock { state -> EndpointPause? in
            let steady = self.time.steady()
            state.mayHaveUnreadable = numbers > 0
            state.gate.set(unreadable: numbers, at: steady)
            guard let unreadable = state.gate.unreadable, nothingElseIsDue || !unreadable.isLone,
                var failure = state.unreadable
            else { return nil }
            // It is over only when a probe says so.
            failure.failureClass = .stop
            let date = self.time.now()
            let wait = Wait(from: date, until: date.advanced(by: max(.zero, unreadable.probesAt - steady)))
            if let stored = state.stored, stored.terms != nil, stored.wait.until > date, nothingElseIsDue { return nil }
            return self.pause(after: failure, since: state.since ?? date, wait: wait, terms: self.terms)
        }
        if let pause { try await self.write(.pause(pause)) }
    }

    private func pause(after failure: RemoteFailure, since: Timestamp, wait: Wait, terms: String? = nil)
        -> EndpointPause
    {
        EndpointPause(stage: self.stage, host: self.host, after: failure, since: since, wait: wait, terms: terms)
    }

    /// What answers are read with.
    private var terms: String {
        let ports = self.context.ports
        return self.context.store.fingerprint(self.stage == .verify ? ports.verifier.terms : ports.backend.terms)
    }

    /// Tells other processes what became of the endpoint.
    func write(_ news: PauseChange) async throws {
        switch news {
        case .none: return
        case .over(let pause):
            // A newer one is obeyed from the next heartbeat on.
            try await self.context.store.end(pause)
            self.context.events(.resumed(self.stage, host: self.host))
        case .pause(let pause):
            try await self.context.store.begin(pause)
            self.context.events(.paused(pause))
            // An answer that came meanwhile found nothing to end.
            let isOver = self.state.withLock { $0.stored == nil && $0.failure == nil }
            if isOver { try await self.write(.over(pause)) }
        }
    }
}

extension RemoteFailure {
    /// The endpoint began to pause after a call was claimed and before it was sent.
    static let withheld = RemoteFailure(.notSent, code: "endpoint_pauses", message: .engineEndpointPaused)

    /// The form of a delivery would be another one by now, and it never reached the backend.
    static let formChanged = RemoteFailure(.notSent, code: "form_changed", message: .engineFormChanged)
}
