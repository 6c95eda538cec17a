import IDCardCore
import Synchronization

/// Whether a stage may call its endpoint now: open, waiting, or paused by a `stop` and probing.
final class StageGate: Sendable {
    /// How many calls may be under way at a moment.
    enum Admission: Hashable, Sendable {
        /// As many as the stage is configured for.
        case open
        /// One, to see whether a pause is over.
        case probe
        /// None before a time.
        case closed(until: Timestamp)
    }

    private struct State {
        /// Nothing goes out before this time.
        var notBefore: Timestamp?
        /// When `notBefore` was last asked for by the endpoint.
        var throttledAt: Timestamp?
        var notSentInARow = 0
        /// How often deliveries of these cards were formed anew since they were last taken.
        var dissolved: [CardID: Int] = [:]
        var pause: StagePause?
        var pausedAt: Timestamp?
        var probeAt: Timestamp?
        /// Whether the store still shows a pause of an earlier process.
        var hasStoredPause = false
    }

    private let state = Mutex(State())
    private let probeInterval: Duration
    private let retry: RetryPolicy

    init(probeInterval: Duration, retry: RetryPolicy) {
        self.probeInterval = probeInterval
        self.retry = retry
    }

    /// Why the stage is paused, if it is.
    var pause: StagePause? { self.state.withLock { $0.pause } }

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

    /// What is admitted at a time.
    func admission(at now: Timestamp) -> Admission {
        self.state.withLock { state in
            let closedUntil = [state.probeAt, state.notBefore].compactMap { $0 }.max()
            if let closedUntil, now < closedUntil { return .closed(until: closedUntil) }
            return state.probeAt != nil || state.notSentInARow > 0 ? .probe : .open
        }
    }

    /// Notes that the endpoint answered properly; returns whether that ended a pause.
    ///
    /// - Parameter start: when the call began: it says nothing about what the endpoint asked for after that.
    func succeeded(callFrom start: Timestamp) -> Bool {
        self.state.withLock { state in
            state.notSentInARow = 0
            if state.throttledAt.map({ $0 < start }) ?? true {
                state.notBefore = nil
                state.throttledAt = nil
            }
            guard state.pausedAt.map({ $0 < start }) ?? true else { return false }
            let wasPaused = state.pause != nil || state.hasStoredPause
            (state.pause, state.pausedAt, state.probeAt, state.hasStoredPause) = (nil, nil, nil, false)
            return wasPaused
        }
    }

    /// Notes that the endpoint took a delivery of these cards.
    func took(_ cards: [CardID]) {
        self.state.withLock { state in
            for card in cards { state.dissolved[card] = nil }
        }
    }

    /// Notes that a delivery of these cards must be formed anew; returns whether that has happened so often that it will not help.
    func dissolved(_ cards: [CardID]) -> Bool {
        self.state.withLock { state in
            for card in cards { state.dissolved[card, default: 0] += 1 }
            return cards.contains { state.dissolved[$0, default: 0] > Self.mostDissolved }
        }
    }

    /// A TOKEN may expire while a form is written with it; a card that is refused with four TOKENs will not pass with a fifth.
    private static let mostDissolved = 3

    /// Notes that the endpoint answered, if only with an error: a connection can be made.
    func answered() {
        self.state.withLock { state in
            guard state.notSentInARow > 0 else { return }
            state.notSentInARow = 0
            if state.throttledAt == nil { state.notBefore = nil }
        }
    }

    /// Notes that a connection could not be made, and returns when to try again: at once the first time, then with backoff.
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

    /// Notes that the endpoint asks for a slower pace, and returns when to go on.
    func throttled(at now: Timestamp, for duration: Duration?) -> Timestamp {
        self.state.withLock { state in
            let until = now.advanced(by: max(duration ?? .seconds(1), .milliseconds(100)))
            state.notBefore = max(state.notBefore ?? until, until)
            state.throttledAt = now
            return until
        }
    }

    /// Pauses the stage until the next probe.
    func stop(_ failure: RemoteFailure, at now: Timestamp) -> StagePause {
        self.state.withLock { state in
            let pause = StagePause(code: failure.code, message: failure.message, since: state.pause?.since ?? now)
            state.pause = pause
            state.pausedAt = now
            state.probeAt = now.advanced(by: self.probeInterval)
            return pause
        }
    }
}
