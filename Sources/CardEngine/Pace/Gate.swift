package import CardModel

/// All limits of the calls to one endpoint: a level of concurrent calls, a rate, and one pause.
///
/// The level doubles until the first throttle, then returns to the last one that held, and sometimes tries a higher one. A pause
/// doubles from one second; after it one call probes, and its success opens the gate again. The type is pure: callers pass the
/// time.
package struct Gate: Hashable, Sendable {
    /// The result of a call for the gate.
    package enum Result: Hashable, Sendable {
        /// The endpoint answered: it works.
        case answered
        /// The endpoint asks for a slower pace.
        case throttled(retryAfter: Duration?)
        /// The endpoint did not answer.
        case failed
        /// Every call would fail.
        case stopped
        /// The answer cannot be understood: see ``Gate/Unreadable``.
        case unreadable
    }

    /// The limit of calls while answers cannot be understood, in any phase.
    package struct Unreadable: Hashable, Sendable {
        /// When a card with such an answer is tried again, as a probe.
        package fileprivate(set) var probesAt: Duration
        /// Whether only one number has unreadable answers: a card of another one is tried, since the first may be the cause.
        package var isLone: Bool
    }

    /// Whether calls may be sent.
    private enum Phase: Hashable, Sendable {
        case open
        case pausing(until: Duration)
        /// The pause is over, and one call checks whether its reason is, too.
        case probing
    }

    private let cap: Int
    private let probeInterval: Duration
    private var bucket: TokenBucket?
    private var phase = Phase.open
    private var nextPause = Limits.firstPause
    private var level: Int
    /// The last level that held: as many calls were answered as it allows.
    private var held: Int?
    private var answersAtLevel = 0
    private var wasThrottled = false
    private var triesHigherAt: Duration = .zero
    private var tryDelay = Limits.firstTry
    private var inFlight = 0
    private var failuresInRow = 0
    /// The number of consecutive answers that every call would fail.
    package private(set) var stopsInRow = 0
    package private(set) var unreadable: Unreadable?
    /// The whole wait for the next probe.
    private var probeWait = Limits.firstUnreadablePause

    /// Makes an open gate.
    ///
    /// - Parameters:
    ///   - cap: the most calls at a time.
    ///   - rate: the most calls per second; `nil` for no bound.
    ///   - probeInterval: the longest pause of an endpoint that stopped.
    package init(cap: Int, rate: Double?, probeInterval: Duration) {
        self.cap = max(1, cap)
        self.probeInterval = probeInterval
        self.bucket = rate.map { TokenBucket(rate: $0) }
        self.level = min(self.cap, Limits.firstLevel)
    }

    package var isUnderWay: Bool { self.inFlight > 0 }

    /// Whether calls currently fail: cards that have not failed are then tried first.
    package var isFailing: Bool { self.failuresInRow > 0 || self.phase != .open }

    /// Whether enough consecutive calls failed to report it, before the endpoint is paused.
    package var isShownAsFailing: Bool { self.failuresInRow >= Limits.failuresShown }

    /// Whether one call at a time checks whether the endpoint works again.
    package var isProbing: Bool { self.phase == .probing }

    /// Whether calls need no probe.
    package var isOpen: Bool { self.phase == .open }

    /// Whether all calls wait for a time in the future.
    package func isPausing(at now: Duration) -> Bool { self.pauseEnd(after: now) != nil }

    /// How many calls may begin now.
    package mutating func places(at now: Duration) -> Int {
        if case .pausing(let until) = self.phase {
            guard now >= until else { return 0 }
            self.phase = .probing
        }
        if let unreadable, !unreadable.isLone, now < unreadable.probesAt { return 0 }
        let places = self.phase == .probing || self.unreadable != nil ? 1 : self.level
        return max(0, min(places - self.inFlight, self.bucket?.tokens(at: now) ?? .max))
    }

    /// When a call may begin again, if none may now and only time is needed.
    package func opens(after now: Duration) -> Duration? {
        self.pauseEnd(after: now) ?? self.bucket?.refill(after: now)
    }

    /// Whether a card with an unreadable answer may be tried again.
    package func probesUnreadable(at now: Duration) -> Bool { self.unreadable.map { $0.probesAt <= now } ?? false }

    /// Applies the sandbox's state of unreadable answers.
    ///
    /// - Parameters:
    ///   - numbers: how many numbers have one; 0 ends the wait.
    ///   - wait: the rest and the whole of the wait for the next probe, if another process stored it.
    package mutating func set(unreadable numbers: Int, wait: (left: Duration, whole: Duration)? = nil, at now: Duration)
    {
        guard numbers > 0 else {
            self.unreadable = nil
            self.probeWait = Limits.firstUnreadablePause
            return
        }
        var known = self.unreadable ?? Unreadable(probesAt: now + self.probeWait, isLone: true)
        known.isLone = numbers == 1
        if let wait {
            known.probesAt = now + wait.left
            self.probeWait = min(max(wait.whole, Limits.firstUnreadablePause), Limits.longestUnreadablePause)
        }
        self.unreadable = known
    }

    /// Makes the next probe due at once.
    package mutating func probeNow(at now: Duration) {
        self.unreadable?.probesAt = now
        if case .pausing = self.phase { self.phase = .probing }
    }

    package mutating func begin(_ count: Int, at now: Duration) {
        self.inFlight += count
        self.bucket?.spend(count, at: now)
    }

    /// Ends a call that was not sent: it has no result.
    package mutating func withdraw() { self.inFlight -= 1 }

    package mutating func finish(_ result: Result, at now: Duration) {
        self.inFlight -= 1
        switch result {
        case .answered: self.adjustAfterAnswer(at: now)
        case .throttled(let retryAfter): self.adjustAfterThrottle(retryAfter, at: now)
        case .failed:
            self.failuresInRow += 1
            if self.failuresInRow >= Limits.failuresInRow || self.phase == .probing {
                self.beginPause(atLeast: .zero, longest: Limits.longestPause, at: now)
            }
        case .stopped:
            // Concurrent calls count as one stop.
            if case .pausing = self.phase {} else { self.stopsInRow += 1 }
            self.beginPause(atLeast: .zero, longest: self.probeInterval, at: now)
        case .unreadable:
            // Each of several concurrent unreadable answers counts as the first one.
            if let known = self.unreadable, known.probesAt > now {
                self.unreadable?.isLone = false
            } else {
                if self.unreadable != nil { self.probeWait = min(self.probeWait * 2, Limits.longestUnreadablePause) }
                self.unreadable = Unreadable(probesAt: now + self.probeWait, isLone: self.unreadable == nil)
            }
            return
        }
        // Another result of a probe tells nothing about unreadable answers; the next probe waits.
        if result != .answered, let probesAt = self.unreadable?.probesAt {
            self.unreadable?.probesAt = max(probesAt, now + Limits.longestPause)
        }
    }

    /// Returns the end of the current pause.
    package func pauseEnd(after now: Duration) -> Duration? {
        if case .pausing(let until) = self.phase, until > now { return until }
        guard let unreadable, !unreadable.isLone, unreadable.probesAt > now else { return nil }
        return unreadable.probesAt
    }

    /// Applies a pause that the endpoint asked of another process; a pause of this process is never shortened.
    package mutating func pause(for duration: Duration, at now: Duration) {
        guard duration > .zero else { return }
        if case .pausing(let until) = self.phase, until >= now + duration { return }
        self.phase = .pausing(until: now + duration)
    }

    private mutating func adjustAfterAnswer(at now: Duration) {
        // One readable answer proves that answers are readable.
        self.unreadable = nil
        self.probeWait = Limits.firstUnreadablePause
        // A call that began before a pause does not end it.
        if case .pausing = self.phase { return }
        (self.failuresInRow, self.stopsInRow, self.phase, self.nextPause) = (0, 0, .open, Limits.firstPause)
        self.answersAtLevel += 1
        guard self.answersAtLevel >= self.level else { return }
        self.held = self.level
        self.answersAtLevel = 0
        if !self.wasThrottled {
            self.level = min(self.cap, self.level * 2)
        } else if now >= self.triesHigherAt, self.level < self.cap {
            self.level = min(self.cap, self.level + max(1, self.level / 4))
            self.triesHigherAt = now + self.tryDelay
            self.tryDelay = min(Limits.lastTry, self.tryDelay * 2)
        }
    }

    private mutating func adjustAfterThrottle(_ retryAfter: Duration?, at now: Duration) {
        let wasLowest = self.level == 1
        self.wasThrottled = true
        let half = max(1, self.level / 2)
        self.level = self.held.map { $0 < self.level ? $0 : half } ?? half
        self.held = self.held.map { min($0, self.level) }
        self.answersAtLevel = 0
        self.triesHigherAt = now + self.tryDelay
        if wasLowest || retryAfter != nil {
            self.beginPause(atLeast: retryAfter ?? .zero, longest: Limits.longestPause, at: now)
        }
    }

    private mutating func beginPause(atLeast least: Duration, longest: Duration, at now: Duration) {
        // Several concurrent calls that fail for one reason make one pause.
        if case .pausing(let until) = self.phase {
            self.phase = .pausing(until: max(until, now + least))
            return
        }
        self.phase = .pausing(until: now + max(least, min(self.nextPause, longest)))
        self.nextPause = min(self.nextPause * 2, longest)
        self.failuresInRow = 0
    }
}

/// A token bucket: `rate` calls a second, a second's worth at once.
struct TokenBucket: Hashable, Sendable {
    private let rate: Double
    private var level: Double
    private var at: Duration = .zero

    init(rate: Double) {
        self.rate = rate
        self.level = max(1, rate)
    }

    func tokens(at now: Duration) -> Int { Int(self.filled(at: now)) }

    mutating func spend(_ count: Int, at now: Duration) {
        self.level = self.filled(at: now) - Double(count)
        self.at = now
    }

    /// When the next token is available; `nil` if one is now.
    func refill(after now: Duration) -> Duration? {
        let level = self.filled(at: now)
        guard level < 1 else { return nil }
        return now + .seconds((1 - level) / self.rate)
    }

    private func filled(at now: Duration) -> Double {
        min(max(1, self.rate), self.level + (now - self.at).inSeconds * self.rate)
    }
}

extension Gate.Result {
    /// Classifies a failed call for the gate.
    package init(_ failure: RemoteFailure) {
        switch failure.failureClass {
        case _ where failure.isUnreadable: self = .unreadable
        case .accepted, .rejected, .shrink: self = .answered
        case .throttled: self = .throttled(retryAfter: failure.retryAfter)
        case .stop: self = .stopped
        case .notSent, .transient, .unknown: self = .failed
        }
    }
}
