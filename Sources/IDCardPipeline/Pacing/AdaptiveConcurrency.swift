import IDCardCore

/// How many calls an endpoint may have under way at a time, learned from its answers.
///
/// Nothing is known of a key at first, and many allow a single call, so the limit starts at one. Until the endpoint
/// first asks for a slower pace it grows by one with every answer; from then on by one after as many answers as the
/// limit. A throttled call halves it, once for all calls of the same wave (those begun before the cut). The last limit
/// that was good is then a ceiling, which is not tried to pass for 30 s, twice as long after every try that failed, up
/// to 10 min; a try that holds becomes the new ceiling.
///
/// | endpoint allows 1 | limit | ceiling | next try |
/// |---|---|---|---|
/// | start, one answer | 1 → 2 | – | |
/// | second of two calls throttled | 1 | 1 | after 30 s |
/// | tried with 2, throttled | 1 | 1 | after 60 s |
/// | … | 1 | 1 | after 120, 240, 480, 600 s |
///
/// Answers count only while the limit is what holds calls back: a stage with little to do proves nothing.
struct AdaptiveConcurrency: Hashable, Sendable {
    /// The configured concurrency: never more.
    let maximum: Int
    /// How many calls may be under way now.
    private(set) var limit: Int
    /// The last limit that was good; `nil` until the first throttled call.
    private(set) var ceiling: Int?
    /// Until when the ceiling is not passed.
    private(set) var heldUntil: Timestamp?
    /// How long the ceiling will be kept after the next throttled call.
    private var nextHold = Self.firstHold
    private var throttledAt: Timestamp?
    /// Answers since the limit last changed.
    private var answers = 0
    /// Whether one of them had more beside it than the ceiling.
    private var hasPassedCeiling = false
    private var answersSinceCut = 0
    /// Calls numbered below began before the limit last changed.
    private var changedAt: UInt64 = 0
    /// Calls numbered below began before the last cut.
    private var cutAt: UInt64 = 0

    /// How long the last good limit is kept, at first and at most (design: 30 s, doubling to 10 min).
    static let firstHold = Duration.seconds(30)
    static let longestHold = Duration.seconds(600)
    /// So many answers lie between two tries, unless they take longer than `longestHold`: with slow calls 30 s are few,
    /// and one in a hundred may be throttled.
    static let answersBetweenTries = 200

    init(maximum: Int, startingAt start: Int = 1) {
        precondition(maximum >= 1 && start >= 1, "concurrency must be at least 1, got \(start) of \(maximum)")
        self.maximum = maximum
        self.limit = min(start, maximum)
    }

    /// Takes note of an answer that did not ask for a slower pace.
    ///
    /// - Parameters:
    ///   - isLimiting: whether there was more to do than the limit allowed.
    ///   - next: the number that the next call will have.
    mutating func answered(_ call: PacedCall, isLimiting: Bool, next: UInt64, at now: Timestamp) {
        self.answersSinceCut += 1
        // What began under another limit does not speak for this one.
        guard isLimiting, call.number >= (self.ceiling == nil ? self.cutAt : self.changedAt) else { return }
        self.answers += 1
        if let ceiling, call.position > ceiling { self.hasPassedCeiling = true }
        guard self.answers >= (self.ceiling == nil ? 1 : self.limit) else { return }
        if let ceiling, self.limit > ceiling, self.hasPassedCeiling {
            self.ceiling = self.limit
            self.nextHold = Self.firstHold
        }
        guard self.limit < self.maximum, self.mayGrow(at: now) else { return }
        self.change(to: self.limit + 1, next: next)
    }

    /// Takes note of a throttled call.
    mutating func throttled(_ call: PacedCall, next: UInt64, at now: Timestamp) {
        // The call was one too many, so one less was good.
        let good = max(1, min(call.position, self.limit) - 1)
        guard call.number >= self.cutAt else {
            // The same wave: it may only show that even less was good.
            self.ceiling = min(self.ceiling ?? good, max(1, call.position - 1))
            self.limit = min(self.limit, self.ceiling ?? self.limit)
            return
        }
        let wasTry = self.ceiling.map { self.limit > $0 } ?? true
        self.heldUntil = now.advanced(by: self.nextHold)
        if wasTry { self.nextHold = min(self.nextHold * 2, Self.longestHold) }
        self.ceiling = min(self.ceiling ?? good, good)
        self.throttledAt = now
        self.answersSinceCut = 0
        self.cutAt = next
        self.change(to: max(1, min(call.position, self.limit) / 2), next: next)
    }

    /// Ends the time for which the ceiling is kept, by a clock that went back.
    mutating func endWaits(at now: Timestamp) {
        self.heldUntil = self.heldUntil.map { min($0, now) }
        self.throttledAt = self.throttledAt.map { min($0, now) }
    }

    /// Whether the limit may grow: freely up to the ceiling, beyond it when the hold is over, also from one try that
    /// held to the next.
    private func mayGrow(at now: Timestamp) -> Bool {
        guard let ceiling, self.limit >= ceiling, let heldUntil, let throttledAt else { return true }
        guard now >= heldUntil else { return false }
        return self.answersSinceCut >= Self.answersBetweenTries || now >= throttledAt.advanced(by: Self.longestHold)
    }

    private mutating func change(to limit: Int, next: UInt64) {
        self.limit = limit
        self.answers = 0
        self.hasPassedCeiling = false
        self.changedAt = next
    }
}
