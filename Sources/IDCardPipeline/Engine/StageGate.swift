import IDCardCore
import Synchronization

/// Whether a stage may call its endpoint now, and how often: open, waiting, or paused by a `stop` and probing.
final class StageGate: Sendable {
    fileprivate struct State {
        /// Nothing goes out before this time.
        var notBefore: Timestamp?
        /// When `notBefore` was last asked for by the endpoint.
        var throttledAt: Timestamp?
        var notSentInARow = 0
        /// Why the last call did not get through, as long as none has since.
        var lastFailure: RemoteFailure?
        /// The codes of failures that were told.
        var told: Set<String> = []
        /// How often deliveries of these cards were formed anew since they were last taken.
        var dissolved = RecentCounts()
        var pause: StagePause?
        /// Calls numbered below began before the pause: they say nothing of what holds since.
        var pausedFrom: UInt64 = 0
        var probeAt: Timestamp?
        /// How long after a further `stop` the next probe follows; `nil` for as long as it ever does.
        var nextProbe: Duration?
        /// When a probe is made with a card that has failed, because there was no other; until then the first other one is
        /// the probe.
        var repeatAt: Timestamp?
        /// Since when a probe waits for a card that has not failed.
        var looksSince: Timestamp?
        /// What ended as failed or refused for itself, though every card might get the same, since the endpoint last took a
        /// call; such a call is numbered `endedAloneFrom` or above.
        var endedAlone: Set<String> = []
        var endedAloneFrom: UInt64 = 0
        /// Whether the store still shows a pause of an earlier process.
        var hasStoredPause = false
        /// Whether a card got what would stop the stage if a second card got it.
        var isInDoubt = false
        var pace: StagePace

        /// Nothing goes out before this time, by a wait or a pause.
        var closedUntil: Timestamp? { [self.probeAt, self.notBefore].compactMap { $0 }.max() }
        /// Whether one call is to find out if a pause is over, also that of an earlier process, if a failure concerns every
        /// card, or if a connection can be made.
        var isProbing: Bool {
            self.probeAt != nil || self.hasStoredPause || self.isInDoubt || self.notSentInARow > 0
        }
    }

    private let state: Mutex<State>
    private let probeInterval: Duration
    private let retry: RetryPolicy
    /// The host that the stage calls, with its port; empty for one that calls none.
    let host: String

    init(probeInterval: Duration, retry: RetryPolicy, pacing: StagePacing = StagePacing(), host: String = "") {
        self.host = host
        self.state = Mutex(State(pace: StagePace(pacing)))
        self.probeInterval = probeInterval
        self.retry = retry
    }

    /// Why the stage is paused, if it is.
    var pause: StagePause? { self.state.withLock { $0.pause } }

    /// Why the last call did not get through, as long as none has since.
    var lastFailure: RemoteFailure? { self.state.withLock { $0.lastFailure } }

    /// Whether one call at a time is to find out if the endpoint works.
    var isProbing: Bool { self.state.withLock { $0.isProbing } }

    /// Notes that the store shows a pause of an earlier process, to be cleared by the first success.
    func noteStoredPause() {
        self.state.withLock { $0.hasStoredPause = true }
    }

    /// Until when a pause certainly lasts; `nil` if the stage is not paused, or may probe.
    func pausedUntil(at now: Timestamp) -> Timestamp? {
        self.state.withLock { state in
            state.probeAt.flatMap { now < $0 ? $0 : nil }
        }
    }

    /// Whether the next probe is worth its call only with a card that has not failed: soon after a `stop`.
    func wantsAnother(at now: Timestamp) -> Bool {
        self.state.withLock { state in
            state.probeAt != nil && state.nextProbe != nil && state.repeatAt.map { now < $0 } ?? true
        }
    }

    /// When a probe is made with a card that has failed, if no other comes before.
    var repeatAt: Timestamp? { self.state.withLock { $0.repeatAt } }

    /// Whether calls have failed since the endpoint last answered.
    var isFailing: Bool { self.state.withLock { $0.pace.isFailing } }

    /// Whether a probe goes on waiting for a card that has not failed: not for ever, others may come all the time.
    func waitsForAnother(at now: Timestamp) -> Bool {
        self.state.withLock { state in
            let since = state.looksSince ?? now
            state.looksSince = since
            return now < since.advanced(by: Self.longestLook)
        }
    }

    /// Notes that a probe has found a card.
    func foundAnother() {
        self.state.withLock { $0.looksSince = nil }
    }

    /// Notes that every card has failed: one of them is the probe after the whole interval, unless another comes before.
    func foundNoOther(at now: Timestamp) {
        self.state.withLock { state in
            state.looksSince = nil
            guard state.probeAt != nil, state.repeatAt == nil else { return }
            state.repeatAt = now.advanced(by: self.probeInterval)
        }
    }

    private static let longestLook = Duration.seconds(10)

    // MARK: Pace

    /// How many pieces of work may be claimed at a time.
    ///
    /// - Parameter claimed: how many are claimed and have not ended.
    func admission(at now: Timestamp, claimed: Int) -> StagePace.Admission {
        self.state.withLock { state in
            if let closedUntil = state.closedUntil, now < closedUntil {
                // Nothing is lost between two calls while there are none.
                state.pace.ranDry()
                return .closed(until: closedUntil)
            }
            return state.pace.admission(claimed: claimed, isProbing: state.isProbing, at: now)
        }
    }

    /// Whether more could be called than the endpoint allows: every moment between two calls is lost then.
    var isLimiting: Bool { self.state.withLock { $0.pace.isLimiting } }

    /// Notes that there was less to do than was admitted.
    func ranDry() {
        self.state.withLock { $0.pace.ranDry() }
    }

    /// Lets a call begin, or puts its subject off.
    ///
    /// - Parameters:
    ///   - subject: the card or delivery.
    ///   - isRetry: whether an earlier attempt of it failed.
    func begin(_ subject: String, isRetry: Bool, at now: Timestamp) -> StagePace.Permit {
        self.state.withLock { state in
            // Due at once: while it is closed nothing is claimed, and a pause may end before its time.
            if let closedUntil = state.closedUntil, now < closedUntil { return .putOff(until: now) }
            return state.pace.begin(subject, isRetry: isRetry, isProbing: state.isProbing, at: now)
        }
    }

    /// Notes how a call ended (`nil`: accepted), and returns what that changed.
    func ended(_ call: PacedCall, as failure: RemoteFailure?, at now: Timestamp) -> StagePace.Change? {
        self.state.withLock { state in
            // At once, not when the stage comes to it: in between another call might begin.
            if let failure, failure.failureClass == .throttled { state.wait(from: now, for: failure.retryAfter) }
            switch failure?.failureClass ?? .accepted {
            case .notSent, .transient, .unknown, .throttled: state.lastFailure = failure
            case .accepted, .rejected, .shrink, .stop: state.lastFailure = nil
            }
            return state.pace.ended(call, as: failure, at: now)
        }
    }

    /// Notes that a call was given up.
    func abandoned(_ call: PacedCall) {
        self.state.withLock { $0.pace.abandoned(call) }
    }

    /// Returns when to try again after a failure that costs an attempt: with backoff, or at once on a fresh connection.
    ///
    /// - Parameter failures: how many attempts have failed so far, from 1.
    func retryTime(
        of subject: String,
        after failure: RemoteFailure,
        failures: Int,
        at now: Timestamp,
        random: RandomSource
    ) -> Timestamp {
        let delay = random.draw { generator in self.retry.delay(afterAttempt: failures, using: &generator) }
        return self.state.withLock { state in
            let isAtOnce = failure.retriesAtOnce && state.pace.mayRetryAtOnce(subject)
            let time = isAtOnce ? now : now.advanced(by: max(delay, failure.retryAfter ?? .zero))
            return state.pace.earliestRetry(at: time, now: now)
        }
    }

    // MARK: Waits and pauses

    /// Notes that the endpoint answered properly; returns whether that ended a pause.
    ///
    /// - Parameter call: the call: it says nothing about what the endpoint asked for after it began.
    func succeeded(_ call: PacedCall) -> Bool {
        self.state.withLock { state in
            state.notSentInARow = 0
            if state.throttledAt.map({ $0 < call.startedAt }) ?? true {
                state.notBefore = nil
                state.throttledAt = nil
            }
            if call.number >= state.endedAloneFrom { state.endedAlone = [] }
            guard state.pause == nil || call.number >= state.pausedFrom else { return false }
            let wasPaused = state.pause != nil || state.hasStoredPause
            (state.pause, state.probeAt, state.repeatAt) = (nil, nil, nil)
            (state.hasStoredPause, state.isInDoubt) = (false, false)
            return wasPaused
        }
    }

    /// Whether a kind of failure has not been told since the endpoint last worked; it is told now.
    func isNews(_ code: String) -> Bool { self.state.withLock { $0.told.insert(code).inserted } }

    /// Notes that the endpoint works: what fails after this is told again.
    func noNews() {
        self.state.withLock { $0.told.removeAll() }
    }

    /// Notes that the endpoint took a delivery of these cards.
    func took(_ cards: [CardID]) {
        self.state.withLock { state in
            for card in cards { state.dissolved[card.rawValue] = 0 }
        }
    }

    /// Notes that a delivery of these cards must be formed anew; returns whether that has happened so often that it
    /// will not help.
    func dissolved(_ cards: [CardID]) -> Bool {
        self.state.withLock { state in
            for card in cards { state.dissolved[card.rawValue] += 1 }
            return cards.contains { state.dissolved[$0.rawValue] > Self.mostDissolved }
        }
    }

    /// A TOKEN may expire while a form is written with it; a card that is refused with four TOKENs will not pass with a
    /// fifth.
    private static let mostDissolved = 3

    /// Notes that the endpoint answered, if only with an error: a connection can be made.
    func answered() {
        self.state.withLock { state in
            guard state.notSentInARow > 0 else { return }
            state.notSentInARow = 0
            if state.throttledAt == nil { state.notBefore = nil }
        }
    }

    /// Notes that a connection could not be made, and returns when to try again: at once the first time, then with
    /// backoff.
    func notSent(at now: Timestamp, random: RandomSource) -> Timestamp {
        self.state.withLock { state in
            state.notSentInARow += 1
            guard state.notSentInARow > 1 else { return now }
            let failures = state.notSentInARow - 1
            let delay = random.draw { generator in self.retry.delay(afterAttempt: failures, using: &generator) }
            let until = now.advanced(by: max(delay, .milliseconds(20)))
            state.notBefore = max(state.notBefore ?? until, until)
            return until
        }
    }

    /// Notes until when the endpoint asked, in this process or in another, to be left alone.
    func keepAway(until time: Timestamp, at now: Timestamp) {
        self.state.withLock { state in
            guard time > now, time > state.notBefore ?? now else { return }
            state.notBefore = time
            state.throttledAt = now
        }
    }

    /// Until when the endpoint asked to be left alone, if it did.
    var throttledUntil: Timestamp? { self.state.withLock { $0.throttledAt == nil ? nil : $0.notBefore } }

    /// Notes that the endpoint asks for a slower pace, and returns when to go on.
    func throttled(at now: Timestamp, for duration: Duration?) -> Timestamp {
        self.state.withLock { $0.wait(from: now, for: duration) }
    }

    /// Ends every wait, by a clock that went back; a pause is probed at once.
    func endWaits(at now: Timestamp) {
        self.state.withLock { state in
            (state.notBefore, state.throttledAt) = (nil, nil)
            state.probeAt = state.probeAt.map { min($0, now) }
            state.repeatAt = state.repeatAt.map { min($0, now) }
            state.pace.endWaits(at: now)
        }
    }

    /// Pauses the stage until the next probe.
    ///
    /// - Parameters:
    ///   - call: the call that failed, if there was one.
    ///   - isDoubtful: whether a few odd cards are as likely the cause: then the first probe follows at once.
    func stop(_ failure: RemoteFailure, after call: PacedCall?, isDoubtful: Bool, at now: Timestamp) -> StagePause {
        self.state.withLock { state in
            // Of a call that was under way when the stage was paused, the pause speaks already.
            if let pause = state.pause, let call, call.number < state.pausedFrom { return pause }
            if state.pause == nil { state.nextProbe = isDoubtful ? .zero : Self.firstProbe }
            let pause = StagePause(code: failure.code, message: failure.message, since: state.pause?.since ?? now)
            state.pause = pause
            state.pausedFrom = state.pace.nextNumber
            if let repeatAt = state.repeatAt, repeatAt <= now {
                // Of a card that has not failed this says nothing: it stays welcome at once.
                (state.probeAt, state.repeatAt) = (now, now.advanced(by: self.probeInterval))
                return pause
            }
            let interval = min(state.nextProbe ?? self.probeInterval, self.probeInterval)
            (state.probeAt, state.repeatAt) = (now.advanced(by: interval), nil)
            if state.nextProbe != nil {
                state.nextProbe = interval < self.probeInterval ? max(interval * 2, Self.firstProbe) : nil
            }
            return pause
        }
    }

    /// Notes that a card got what would stop the stage if a second card got it: another card is tried next.
    func doubt() {
        self.state.withLock { $0.isInDoubt = true }
    }

    /// How soon a probe follows with another card, which tells whether the first one was odd; then each time twice as late.
    static let firstProbe = Duration.seconds(1)

    /// Takes note that a card, or a delivery, is to end by an answer that every card might get; returns whether it may: only
    /// so many in a row may, then others are asked about first.
    func mayEndAlone(_ subject: String, atMost limit: Int) -> Bool {
        self.state.withLock { state in
            state.endedAloneFrom = state.pace.nextNumber
            state.endedAlone.insert(subject)
            guard state.endedAlone.count > limit else { return true }
            state.endedAlone.remove(subject)
            return false
        }
    }
}

extension StageGate.State {
    /// Closes the gate for as long as the endpoint asks for (design: `Retry-After`, or at least a second).
    @discardableResult
    fileprivate mutating func wait(from now: Timestamp, for duration: Duration?) -> Timestamp {
        let asked = now.advanced(by: max(duration ?? .seconds(1), .milliseconds(100)))
        let until = max(self.notBefore ?? asked, asked)
        self.notBefore = until
        self.throttledAt = now
        return until
    }
}

extension StageGate {
    /// Makes the gate of a stage by the settings of its engine.
    convenience init(_ settings: EngineSettings, _ pacing: StagePacing, host: String = "") {
        self.init(probeInterval: settings.probeInterval, retry: settings.retry, pacing: pacing, host: host)
    }
}
