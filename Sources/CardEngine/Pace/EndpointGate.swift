import CardModel
import CardStore
import Synchronization

/// The gate of an endpoint within this process, and its pause in the sandbox, which every process sees.
final class EndpointGate: StageGate {
    private struct State {
        var gate: Gate
        /// Why the endpoint was last called in vain; `nil` while it works.
        var failure: RemoteFailure?
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

    /// Whether it stands in the sandbox that answers cannot be understood, or this process found so.
    func isUnreadable(in pauses: [EndpointPause]) -> Bool {
        self.unreadable != nil || pauses.contains { $0.stage == self.stage && $0.host == self.host && $0.terms != nil }
    }

    /// Obeys what is known of answers that cannot be understood.
    ///
    /// - Parameters:
    ///   - numbers: how many business numbers have one.
    ///   - before: what stood there for this process before the pauses were read.
    ///   - isStart: whether the process begins: where answers are read by other terms now, a probe goes at once.
    func restore(unreadable numbers: Int, from pauses: [EndpointPause], before: EndpointPause?, isStart: Bool) {
        let pause = pauses.first { $0.stage == self.stage && $0.host == self.host && $0.terms != nil }
        let now = self.time.now()
        self.state.withLock { state in
            // What this process wrote down since then is newer.
            guard state.stored == before else { return }
            let steady = self.time.steady()
            var wait: (left: Duration, whole: Duration)?
            if let pause, state.stored != pause, !isStart || pause.terms == self.terms {
                let left: Duration = pause.wait.isOver(at: now) ? .zero : pause.wait.until.duration(since: now)
                wait = (left, pause.wait.until.duration(since: pause.wait.from))
            } else if isStart {
                wait = (.zero, .zero)
            }
            state.mayHaveUnreadable = numbers > 0
            state.gate.set(unreadable: numbers, wait: wait, at: steady)
            guard numbers > 0, let pause else { return }
            state.stored = pause
            state.since = state.since ?? pause.since
            state.failure = state.failure ?? RemoteFailure(.stop, code: pause.code, message: pause.message)
        }
    }

    /// Obeys what the endpoint asked another process, or an earlier one, for. A pause that was written down and stands there no
    /// longer is over: the endpoint works for another process, or a person wants it called.
    ///
    /// - Parameter before: what stood there for this process before the pauses were read.
    func restore(from pauses: [EndpointPause], before: EndpointPause? = nil) {
        guard let pause = pauses.first(where: { $0.stage == self.stage && $0.host == self.host }) else {
            return self.state.withLock { state in
                guard let before, state.stored == before else { return }
                state.stored = nil
                state.gate.probeNow(at: self.time.steady())
            }
        }
        guard pause.terms == nil else { return }
        let now = self.time.now()
        self.state.withLock { state in
            defer { state.stored = pause }
            guard state.stored != pause else { return }
            state.since = state.since ?? pause.since
            // One probe finds out about stops and failures, since the operator may have mended the cause.
            guard pause.failureClass == .throttled, !pause.wait.isOver(at: now) else { return }
            state.gate.pause(for: pause.wait.until.duration(since: now), at: self.time.steady())
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
            guard var failure = state.failure else { return nil }
            if state.gate.unreadable != nil {
                failure.message = .pauseResume(failure.message, self.stage)
            } else if state.gate.stopsInRow == 0 {
                return nil
            }
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
    enum News: Sendable {
        case none
        /// It works again.
        case over
        case pause(EndpointPause)
    }

    /// A call ended, and its place is free; ``write(_:)`` tells other processes.
    ///
    /// The gate hears of a failure before the call is concluded, since its card may be due again at once. The pause is stored
    /// after it: the outcome must not be lost for it.
    func end(_ result: Gate.Result, failure: RemoteFailure?) -> News {
        self.state.withLock { state in
            let now = self.time.steady()
            state.gate.end(result, at: now)
            if result == .unreadable { state.mayHaveUnreadable = true }
            guard result != .answered else {
                // What was under way before a pause began does not end it, for others either.
                guard state.gate.isOpen else { return .none }
                state.since = nil
                state.failure = nil
                defer { state.stored = nil }
                return state.stored == nil ? .none : .over
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
            return .pause(EndpointPause(stage: self.stage, host: self.host, after: failure, since: since, wait: wait))
        }
    }

    /// After an answer that cannot be understood, or where nothing else is due beside one: tells other processes if the endpoint
    /// stops for it.
    func writeUnreadable(nothingElseIsDue: Bool) async throws {
        guard self.state.withLock({ $0.mayHaveUnreadable }) else { return }
        let numbers = try await self.context.store.unreadableNumbers(self.stage)
        let pause = self.state.withLock { state -> EndpointPause? in
            let steady = self.time.steady()
            state.mayHaveUnreadable = numbers > 0
            state.gate.set(unreadable: numbers, at: steady)
            guard let unreadable = state.gate.unreadable, nothingElseIsDue || !unreadable.isLone,
                var failure = state.failure
            else { return nil }
            // It is over only when a probe says so.
            failure.failureClass = .stop
            let date = self.time.now()
            let wait = Wait(from: date, until: date.advanced(by: max(.zero, unreadable.probesAt - steady)))
            let pause = EndpointPause(
                stage: self.stage,
                host: self.host,
                after: failure,
                since: state.since ?? date,
                wait: wait,
                terms: self.terms
            )
            if let stored = state.stored, stored.terms != nil, stored.wait.until > date, nothingElseIsDue { return nil }
            return pause
        }
        if let pause { try await self.write(.pause(pause)) }
    }

    /// What answers are read with.
    private var terms: String {
        self.stage == .verify ? self.context.ports.verifier.terms : self.context.ports.backend.terms
    }

    /// Tells other processes what became of the endpoint.
    func write(_ news: News) async throws {
        switch news {
        case .none: return
        case .over:
            try await self.context.store.endPause(of: self.host, stage: self.stage)
            self.context.events(.resumed(self.stage, host: self.host))
        case .pause(let pause):
            try await self.context.store.begin(pause)
            self.state.withLock { $0.stored = pause }
            self.context.events(.paused(pause))
        }
    }
}

extension RemoteFailure {
    /// The endpoint began to pause after a call was claimed and before it was sent.
    static let withheld = RemoteFailure(.notSent, code: "endpoint_pauses", message: .engineEndpointPaused)

    /// The form of a delivery would be another one by now, and it never reached the backend.
    static let formChanged = RemoteFailure(.notSent, code: "form_changed", message: .engineFormChanged)
}
