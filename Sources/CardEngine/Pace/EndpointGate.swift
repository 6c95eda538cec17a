import CardModel
import CardStore
import Synchronization

/// The gate of an endpoint within this process, and its pause in the sandbox, which every process sees.
final class EndpointGate: Sendable {
    private struct State {
        var gate: Gate
        /// The last failure of the endpoint; `nil` while it works.
        var failure: RemoteFailure?
        /// The failure of the last answer that could not be understood.
        var unreadable: RemoteFailure?
        /// Since when the calls to the endpoint have failed.
        var since: Timestamp?
        /// The pause stored in the sandbox, as this process last saw it: a pause is applied only once, since a wrong clock
        /// may have set its end.
        var stored: EndpointPause?
        /// Whether the sandbox may have answers that cannot be understood; otherwise it is not queried for them.
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

    /// Applies what the sandbox stores about this endpoint: its pause, and the count of numbers with an unreadable answer.
    ///
    /// The pause may be that of another process or of an earlier run. If a pause that this process saw has been deleted, the
    /// endpoint works for another process, or a person ended the pause.
    ///
    /// - Parameters:
    ///   - numbers: how many business numbers have an unreadable answer.
    ///   - before: ``stored`` before `pauses` were read.
    ///   - isStart: whether the process is starting: if answers are now read with other settings, a probe is due at once.
    /// - Returns: `over` if the stored pause was for unreadable answers and none is left, else `none`.
    func restore(
        from pauses: [EndpointPause],
        unreadable numbers: Int,
        before: EndpointPause? = nil,
        isStart: Bool = false
    ) -> PauseChange {
        let pause = pauses.first { $0.stage == self.stage && $0.host == self.host }
        let (now, steady) = (self.time.now(), self.time.steady())
        return self.state.withLock { state in
            // This process has stored a newer pause since `before` was read.
            guard state.stored == before else { return .none }
            if state.stored != nil, pause == nil { state.gate.probeNow(at: steady) }
            var wait: (left: Duration, whole: Duration)? = isStart ? (.zero, .zero) : nil
            if let pause, pause != state.stored {
                let left: Duration = pause.wait.isOver(at: now) ? .zero : pause.wait.until.duration(since: now)
                if pause.terms == nil {
                    // After stops and failures, probe at once, since the operator may have fixed the cause.
                    if pause.failureClass == .throttled { state.gate.pause(for: left, at: steady) }
                } else if !isStart || pause.terms == self.terms {
                    wait = (left, pause.wait.until.duration(since: pause.wait.from))
                }
                state.since = state.since ?? pause.since
            }
            state.stored = pause
            // If this process just got its first unreadable answer, `numbers` may not include it yet.
            if numbers > 0 || pause?.terms != nil || !state.mayHaveUnreadable {
                state.mayHaveUnreadable = numbers > 0
                state.gate.set(unreadable: numbers, wait: wait, at: steady)
            }
            guard let pause, pause.terms != nil else { return .none }
            state.unreadable = state.unreadable ?? RemoteFailure(.stop, code: pause.code, message: pause.message)
            return numbers > 0 ? .none : .over(pause)
        }
    }

    /// The pause that this process last saw in the sandbox.
    var stored: EndpointPause? { self.state.withLock { $0.stored } }
    var freeSlots: Int { self.state.withLock { $0.gate.freeSlots(at: self.time.steady()) } }
    /// Whether the endpoint must not be called now: not even for jobs that are already claimed.
    var isPausing: Bool { self.state.withLock { $0.gate.isPausing(at: self.time.steady()) } }
    var isFailing: Bool { self.state.withLock { $0.gate.isFailing } }
    var unreadable: Gate.Unreadable? { self.state.withLock { $0.gate.unreadable } }
    /// Whether a card with an answer that cannot be understood may be tried again.
    var probesUnreadable: Bool { self.state.withLock { $0.gate.probesUnreadable(at: self.time.steady()) } }
    var isProbing: Bool { self.state.withLock { $0.gate.isProbing } }
    /// Whether the last call did not reach the endpoint.
    var failsToConnect: Bool { self.state.withLock { $0.failure?.failureClass == .notSent } }
    /// The failure that stopped the endpoint; `nil` unless it is stopped.
    var stoppedBy: RemoteFailure? {
        self.state.withLock { state in
            guard state.gate.unreadable != nil, var failure = state.unreadable else {
                return state.gate.stopsInRow > 0 ? state.failure : nil
            }
            failure.message = .pauseResume(failure.message, self.stage)
            return failure
        }
    }

    /// Whether a batch gives the endpoint up: enough calls in a row stopped it, or its answers cannot be understood, and not
    /// because of one number alone.
    ///
    /// - Parameter nothingElseIsDue: whether no card is left that could show that the endpoint works.
    func isStoppedForGood(nothingElseIsDue: Bool) -> Bool {
        self.state.withLock { state in
            if let unreadable = state.gate.unreadable, nothingElseIsDue || !unreadable.isLone { return true }
            return state.gate.stopsInRow >= Limits.stopsInRow
        }
    }

    /// How long until a call may begin; `nil` if pause and rate permit one now.
    var timeToNextCall: Duration? {
        self.state.withLock { state in
            let now = self.time.steady()
            return state.gate.opens(after: now).map { $0 - now }
        }
    }

    /// Registers claimed jobs, each of which takes a slot until ``finish(_:)`` or ``withdraw()``.
    func begin(_ count: Int) { self.state.withLock { $0.gate.begin(count, at: self.time.steady()) } }

    var isUnderWay: Bool { self.state.withLock { $0.gate.isUnderWay } }

    /// Frees the slot of a job that was not sent.
    func withdraw() { self.state.withLock { $0.gate.withdraw() } }

    /// The change of a pause that other processes must learn after a call.
    enum PauseChange: Sendable {
        case none
        /// The endpoint works again.
        case over(EndpointPause)
        case pause(EndpointPause)
    }

    /// Registers the answer to a call and frees its slot; the caller passes the returned change to ``write(_:)``, once the
    /// outcome of the call is stored.
    func finish(_ answer: EndpointAnswer) -> PauseChange {
        self.state.withLock { state in
            let (now, result, failure) = (self.time.steady(), answer.result, answer.failure)
            state.gate.finish(result, at: now)
            if result == .unreadable { (state.mayHaveUnreadable, state.unreadable) = (true, failure) }
            guard result != .answered else {
                // A call that began before the pause does not end it, neither here nor for other processes.
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
            // Repeated failures are reported even before the endpoint pauses, as a pause that is already over.
            guard result != .unreadable, let failure,
                let until = state.gate.pauseEnd(after: now) ?? (state.gate.isShownAsFailing ? now : nil)
            else { return .none }
            let wait = Wait(from: date, until: date.advanced(by: until - now))
            let pause = self.pause(after: failure, since: since, wait: wait)
            state.stored = pause
            return .pause(pause)
        }
    }

    /// Stores a pause if answers that cannot be understood stop the endpoint; called after each such answer, and when nothing
    /// else is due.
    func writeUnreadable(nothingElseIsDue: Bool) async throws {
        guard self.state.withLock({ $0.mayHaveUnreadable }) else { return }
        let numbers = try await self.context.store.endpoints.unreadableNumbers(self.stage, now: self.time.now())
        let pause = self.state.withLock { state -> EndpointPause? in
            let steady = self.time.steady()
            state.mayHaveUnreadable = numbers > 0
            state.gate.set(unreadable: numbers, at: steady)
            guard let unreadable = state.gate.unreadable, nothingElseIsDue || !unreadable.isLone,
                var failure = state.unreadable
            else { return nil }
            // As a stop, so that people see that only a readable answer ends this pause.
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

    /// The fingerprint of the settings that answers are read with.
    private var terms: String {
        let ports = self.context.ports
        return self.context.store.endpoints.fingerprint(
            self.stage == .verify ? ports.verifier.terms : ports.backend.terms
        )
    }

    /// Stores a change of the pause for other processes, and reports it.
    func write(_ change: PauseChange) async throws {
        switch change {
        case .none: return
        case .over(let pause):
            // A newer pause that another process has stored meanwhile is not ended; the next heartbeat applies it here.
            try await self.context.store.endpoints.resume(pause)
            self.context.events(.resumed(self.stage, host: self.host))
        case .pause(let pause):
            try await self.context.store.endpoints.pause(pause)
            self.context.events(.paused(pause))
            // If a call succeeded before this pause was stored, nothing has ended the pause, so end it now.
            let isOver = self.state.withLock { $0.stored == nil && $0.failure == nil }
            if isOver { try await self.write(.over(pause)) }
        }
    }
}

extension RemoteFailure {
    /// The endpoint began to pause after a call was claimed and before it was sent.
    static let withheld = RemoteFailure(.notSent, code: "endpoint_pauses", message: .engineEndpointPaused)

    /// The form of a delivery would differ now, and the delivery never reached the backend.
    static let formChanged = RemoteFailure(.notSent, code: "form_changed", message: .engineFormChanged)
}
