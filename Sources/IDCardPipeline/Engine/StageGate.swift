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
        var notBefore: Timestamp?
        var notSentInARow = 0
        var pause: StagePause?
        var probeAt: Timestamp?
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

    /// Until when a pause certainly lasts; `nil` if the stage is not paused, or may probe.
    func pausedUntil(at now: Timestamp) -> Timestamp? {
        self.state.withLock { state in
            state.probeAt.flatMap { now < $0 ? $0 : nil }
        }
    }

    /// What is admitted at a time.
    func admission(at now: Timestamp) -> Admission {
        self.state.withLock { state in
            if let probeAt = state.probeAt {
                return now < probeAt ? .closed(until: probeAt) : .probe
            }
            if let notBefore = state.notBefore, now < notBefore { return .closed(until: notBefore) }
            return state.notSentInARow > 0 ? .probe : .open
        }
    }

    /// Notes that the endpoint answered properly; returns whether that ended a pause.
    func succeeded() -> Bool {
        self.state.withLock { state in
            let wasPaused = state.pause != nil
            state = State()
            return wasPaused
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
            return until
        }
    }

    /// Pauses the stage until the next probe.
    func stop(_ failure: RemoteFailure, at now: Timestamp) -> StagePause {
        self.state.withLock { state in
            let pause = StagePause(code: failure.code, message: failure.message, since: state.pause?.since ?? now)
            state.pause = pause
            state.probeAt = now.advanced(by: self.probeInterval)
            return pause
        }
    }
}
