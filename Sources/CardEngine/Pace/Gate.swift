package import CardModel

/// All limits of the calls to one endpoint: a level of concurrent calls, a rate, and one pause.
///
/// The level doubles until the first throttle, then returns to the last level that held, and sometimes tries a higher one. The
/// first pause lasts one second, each further one twice as long; then one call probes the endpoint, and its success opens the
/// gate again. Callers pass the time, so that tests need no clock.
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

    /// Limits the calls while answers cannot be understood, beside any ``Phase``.
    package struct Unreadable: Hashable, Sendable {
        /// When a card with an unreadable answer is sent again, as a probe.
        package fileprivate(set) var probesAt: Duration
        /// Whether only one number has unreadable answers: it may be the cause itself, so a card of another number is tried.
        package var isLone: Bool
    }

    /// Whether calls may be sent.
    private enum Phase: Hashable, Sendable {
        case open
        case pausing(until: Duration)
        /// The pause is over, and one call checks whether the endpoint works again.
        case probing
    }

    private let cap: Int
    private let probeInterval: Duration
    private var bucket: TokenBucket?
    private var phase = Phase.open
    private var nextPause = Limits.firstPause
    private var level: Int
    /// The last level that held: without a throttle, as many calls were answered as the level allows at a time.
    private var held: Int?
    private var answersAtLevel = 0
    private var wasThrottled = false
    private var triesHigherAt: Duration = .zero
    private var tryDelay = Limits.firstTryDelay
    private var inFlight = 0
    private var failuresInRow = 0
    /// The number of consecutive results ``Result/stopped``; concurrent ones count once.
    package private(set) var stopsInRow = 0
    package private(set) var unreadable: Unreadable?
    /// The wait between two probes for unreadable answers.
    private var probeWait = Limits.firstUnreadablePause

    /// Makes an open gate.
    ///
    /// - Parameters:
    ///   - cap: the maximum number of calls at a time.
    ///   - rate: the maximum number of calls per second; `nil` for no limit.
    ///   - probeInterval: the longest pause of an endpoint that stopped.
    package init(cap: Int, rate: Double?, probeInterval: Duration) {
        self.cap = max(1, cap)
        self.probeInterval = probeInterval
        self.bucket = rate.map { TokenBucket(rate: $0) }
        self.level = min(self.cap, Limits.firstLevel)
    }

    package var isUnderWay: Bool { self.inFlight > 0 }

    /// Whether the last calls failed; then cards without a failure are tried first.
    package var isFailing: Bool { self.failuresInRow > 0 || self.phase != .open }

    /// Whether enough consecutive calls failed to report the endpoint as failing, even before it is paused.
    package var isShownAsFailing: Bool { self.failuresInRow >= Limits.failuresShown }

    /// Whether one call at a time checks whether the endpoint works again.
    package var isProbing: Bool { self.phase == .probing }

    /// Whether there is neither a pause nor a probe after one.
    package var isOpen: Bool { self.phase == .open }

    /// Whether no call may begin before a time in the future.
    package func isPausing(at now: Duration) -> Bool { self.pauseEnd(after: now) != nil }

    /// Returns how many calls may begin now; begins the probing phase if the pause is over.
    package mutating func freeSlots(at now: Duration) -> Int {
        if case .pausing(let until) = self.phase {
            guard now >= until else { return 0 }
            self.phase = .probing
        }
        if let unreadable, !unreadable.isLone, now < unreadable.probesAt { return 0 }
        let slots = self.phase == .probing || self.unreadable != nil ? 1 : self.level
        return max(0, min(slots - self.inFlight, self.bucket?.tokens(at: now) ?? .max))
    }

    /// Returns the time at which pause and rate permit a call again; `nil` if they permit one now.
    package func opens(after now: Duration) -> Duration? {
        self.pauseEnd(after: now) ?? self.bucket?.refill(after: now)
    }

    /// Whether a card with an unreadable answer may be sent again.
    package func probesUnreadable(at now: Duration) -> Bool { self.unreadable.map { $0.probesAt <= now } ?? false }

    /// Applies the sandbox's state of unreadable answers.
    ///
    /// - Parameters:
    ///   - numbers: how many business numbers have an unreadable answer; 0 ends the wait for a probe.
    ///   - wait: what is left of the wait for the next probe, and the whole wait, if another process stored them.
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

    /// Begins a number of calls, which ``freeSlots(at:)`` permitted.
    package mutating func begin(_ count: Int, at now: Duration) {
        self.inFlight += count
        self.bucket?.spend(count, at: now)
    }

    /// Ends a call that was not sent: it has no result.
    package mutating func withdraw() { self.inFlight -= 1 }

    /// Ends a call; its result adapts the number of concurrent calls, or begins a pause.
    package mutating func finish(_ result: Result, at now: Duration) {
        self.inFlight -= 1
        switch result {
        case .answered: return self.adjustAfterAnswer(at: now)
        case .unreadable: return self.adjustAfterUnreadable(at: now)
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
        }
        // A failure does not show whether answers can be understood again, so the probe for that waits, too.
        if let probesAt = self.unreadable?.probesAt {
            self.unreadable?.probesAt = max(probesAt, now + Limits.longestPause)
        }
    }

    /// Returns the end of the current pause.
    package func pauseEnd(after now: Duration) -> Duration? {
        if case .pausing(let until) = self.phase, until > now { return until }
        guard let unreadable, !unreadable.isLone, unreadable.probesAt > now else { return nil }
        return unreadable.probesAt
    }

    /// Applies a pause that the endpoint requested from another process; it never shortens a pause of this process.
    package mutating func pause(for duration: Duration, at now: Duration) {
        guard duration > .zero else { return }
        if case .pausing(let until) = self.phase, until >= now + duration { return }
        self.phase = .pausing(until: now + duration)
    }

    /// Opens the gate, and raises the level once as many calls were answered as it allows.
    private mutating func adjustAfterAnswer(at now: Duration) {
        // One readable answer proves that the endpoint's answers can be understood.
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
            self.tryDelay = min(Limits.longestTryDelay, self.tryDelay * 2)
        }
    }

    /// Delays the probe for unreadable answers, longer each time.
    private mutating func adjustAfterUnreadable(at now: Duration) {
        // The call began before the current wait, so its answer does not make the wait longer.
        if let known = self.unreadable, known.probesAt > now {
            self.unreadable?.isLone = false
            return
        }
        if self.unreadable != nil { self.probeWait = min(self.probeWait * 2, Limits.longestUnreadablePause) }
        self.unreadable = Unreadable(probesAt: now + self.probeWait, isLone: self.unreadable == nil)
    }

    /// Lowers the level; pauses if it cannot be lowered, or if the endpoint says how long to wait.
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

    /// Begins a pause of at least a duration; each pause in a row is twice as long, up to the longest.
    private mutating func beginPause(atLeast least: Duration, longest: Duration, at now: Duration) {
        // Concurrent calls that fail for the same reason cause only one pause.
        if case .pausing(let until) = self.phase {
            self.phase = .pausing(until: max(until, now + least))
            return
        }
        self.phase = .pausing(until: now + max(least, min(self.nextPause, longest)))
        self.nextPause = min(self.nextPause * 2, longest)
        self.failuresInRow = 0
    }
}

/// A token bucket: `rate` calls a second on average, and at most as many at once.
struct TokenBucket: Hashable, Sendable {
    private let rate: Double
    /// The tokens at the time `measuredAt`.
    private var level: Double
    private var measuredAt: Duration = .zero

    init(rate: Double) {
        self.rate = rate
        self.level = max(1, rate)
    }

    func tokens(at now: Duration) -> Int { Int(self.filled(at: now)) }

    mutating func spend(_ count: Int, at now: Duration) {
        self.level = self.filled(at: now) - Double(count)
        self.measuredAt = now
    }

    /// Returns the time at which the next token is available; `nil` if there is one now.
    func refill(after now: Duration) -> Duration? {
        let level = self.filled(at: now)
        guard level < 1 else { return nil }
        return now + .seconds((1 - level) / self.rate)
    }

    /// Returns the tokens at a time.
    private func filled(at now: Duration) -> Double {
        min(max(1, self.rate), self.level + (now - self.measuredAt).inSeconds * self.rate)
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
