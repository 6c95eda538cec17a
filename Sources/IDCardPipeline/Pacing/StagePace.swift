import IDCardCore

/// The pace of one stage's calls: limit, rate, retry budget and breaker of its endpoint, joined. No clock and no lock:
/// events in, decisions out.
struct StagePace: Sendable {
    /// How many pieces of work may be claimed.
    enum Admission: Hashable, Sendable {
        /// So many, at least one.
        case free(Int)
        /// None; the end of one under way frees a place.
        case full
        /// None before a time.
        case closed(until: Timestamp)
    }

    /// What became of a call that asked to begin.
    enum Permit: Hashable, Sendable {
        /// It may.
        case call(PacedCall)
        /// It may not: its subject stays as it is, to be claimed again from then on.
        case putOff(until: Timestamp)
    }

    /// What the end of a call changed.
    enum Change: Hashable, Sendable {
        /// The endpoint keeps failing and is left alone.
        case opened(until: Timestamp)
        /// It works again.
        case closed
        /// It asked for a slower pace.
        case slowed(limit: Int)
    }

    private(set) var concurrency: AdaptiveConcurrency
    private(set) var breaker: CircuitBreaker
    private var rate: RateLimit?
    private var budget: RetryBudget
    /// The number that the next call will have.
    private(set) var nextNumber: UInt64 = 0
    private var underWay = 0
    /// Whether there was more to do than the limit allowed, since it last changed.
    private(set) var isLimiting = false
    /// How often in a row calls of a subject failed on a connection that was stale.
    private var staleInARow = RecentCounts()
    /// The subjects whose last call failed: the next one is a retry, also where an outage costs no attempt.
    private var failedLast = RecentCounts()

    init(_ pacing: StagePacing) {
        self.concurrency = AdaptiveConcurrency(maximum: pacing.concurrency, startingAt: pacing.initialConcurrency)
        self.rate = pacing.callsPerSecond > 0 ? RateLimit(perSecond: pacing.callsPerSecond) : nil
        self.budget = RetryBudget(ratio: pacing.budgetRatio, floor: pacing.budgetFloor)
        self.breaker = CircuitBreaker(
            failures: pacing.breakerFailures,
            openFor: pacing.breakerOpenFor,
            cap: pacing.breakerOpenCap
        )
    }

    // MARK: Before a call

    /// How many pieces of work may be claimed.
    ///
    /// - Parameters:
    ///   - claimed: how many are claimed and have not ended, whether or not their call is under way.
    ///   - isProbing: whether one call is to find something out.
    mutating func admission(claimed: Int, isProbing: Bool, at now: Timestamp) -> Admission {
        if case .none(let until) = self.breaker.admission(at: now) { return .closed(until: until) }
        let places = self.limit(isProbing: isProbing, at: now) - claimed
        guard places > 0 else {
            self.isLimiting = true
            return .full
        }
        guard let rate else { return .free(places) }
        let tokens = rate.available(at: now)
        guard tokens > 0 else { return .closed(until: rate.nextCall(at: now)) }
        // What is claimed and has not called may still want a token.
        let unclaimed = tokens - max(0, claimed - self.underWay)
        return unclaimed > 0 ? .free(min(places, unclaimed)) : .full
    }

    /// Takes note that there was less to do than was admitted.
    mutating func ranDry() {
        self.isLimiting = false
    }

    /// Lets a call begin, or not: what was claimed may have been overtaken by an answer to another call.
    mutating func begin(_ subject: String, isRetry: Bool, isProbing: Bool, at now: Timestamp) -> Permit {
        if case .none = self.breaker.admission(at: now) { return .putOff(until: now) }
        guard self.underWay < self.limit(isProbing: isProbing, at: now) else { return .putOff(until: now) }
        if let rate, rate.available(at: now) == 0 { return .putOff(until: rate.nextCall(at: now)) }
        let isRetry = isRetry || self.failedLast[subject] > 0
        if let until = self.budget.begin(isRetry: isRetry, at: now) { return .putOff(until: until) }
        _ = self.rate?.take(at: now)
        self.underWay += 1
        defer { self.nextNumber += 1 }
        return .call(
            PacedCall(
                number: self.nextNumber,
                position: self.underWay,
                subject: subject,
                isRetry: isRetry,
                startedAt: now
            )
        )
    }

    private func limit(isProbing: Bool, at now: Timestamp) -> Int {
        isProbing || self.breaker.admission(at: now) == .one ? 1 : self.concurrency.limit
    }

    /// Whether calls have failed since the endpoint last answered.
    var isFailing: Bool { self.breaker.isFailing }

    // MARK: After a call

    /// Takes note that a call was given up; nothing is known of the endpoint.
    mutating func abandoned(_ call: PacedCall) {
        self.underWay -= 1
        self.budget.handBack(call, wasAnswered: false)
    }

    /// Takes note of how a call ended; `nil` if it was accepted.
    mutating func ended(_ call: PacedCall, as failure: RemoteFailure?, at now: Timestamp) -> Change? {
        self.underWay -= 1
        self.noteFailure(of: call.subject, as: failure?.failureClass ?? .accepted)
        switch failure?.failureClass ?? .accepted {
        case .accepted, .rejected, .shrink:
            self.staleInARow[call.subject] = 0
            self.answered(call, at: now)
            return self.breaker.answered(call, at: now) ? .closed : nil
        case .stop:
            self.staleInARow[call.subject] = 0
            self.budget.handBack(call, wasAnswered: true)
            return self.breaker.answered(call, at: now) ? .closed : nil
        case .throttled:
            self.staleInARow[call.subject] = 0
            return self.throttled(call, at: now)
        case .notSent:
            self.budget.handBack(call, wasAnswered: false)
            return self.failed(call, at: now)
        case .transient, .unknown:
            return failure?.retriesAtOnce == true ? self.wentStale(call, at: now) : self.failed(call, at: now)
        }
    }

    private mutating func noteFailure(of subject: String, as failureClass: FailureClass) {
        switch failureClass {
        case .transient, .unknown: self.failedLast[subject] = 1
        case .accepted, .rejected, .shrink, .stop: self.failedLast[subject] = 0
        // Neither a first attempt nor a retry.
        case .throttled, .notSent: break
        }
    }

    /// Ends every wait, by a clock that went back; the rate limit looks to itself.
    mutating func endWaits(at now: Timestamp) {
        self.breaker.endWaits(at: now)
        self.budget.endWaits()
        self.concurrency.endWaits(at: now)
    }

    private mutating func answered(_ call: PacedCall, at now: Timestamp) {
        self.budget.handBack(call, wasAnswered: true)
        let limit = self.concurrency.limit
        self.concurrency.answered(call, isLimiting: self.isLimiting, next: self.nextNumber, at: now)
        // As long as nobody has asked for a slower pace every answer of a wave counts, or the limit would grow by one for
        // each wave and not with every answer.
        if self.concurrency.limit != limit, self.concurrency.ceiling != nil { self.isLimiting = false }
    }

    private mutating func throttled(_ call: PacedCall, at now: Timestamp) -> Change? {
        self.budget.handBack(call, wasAnswered: false)
        self.concurrency.throttled(call, next: self.nextNumber, at: now)
        self.isLimiting = false
        _ = self.breaker.answered(call, at: now)
        return .slowed(limit: self.concurrency.limit)
    }

    private mutating func failed(_ call: PacedCall, at now: Timestamp) -> Change? {
        self.staleInARow[call.subject] = 0
        return self.breaker.failed(call, next: self.nextNumber, at: now).map(Change.opened)
    }

    /// The first time says nothing of the endpoint, only of a connection that lay idle too long.
    private mutating func wentStale(_ call: PacedCall, at now: Timestamp) -> Change? {
        self.staleInARow[call.subject] += 1
        guard self.staleInARow[call.subject] > 1 else {
            self.budget.handBack(call, wasAnswered: true)
            return nil
        }
        return self.breaker.failed(call, next: self.nextNumber, at: now).map(Change.opened)
    }

    /// Whether a subject may go at once on a fresh connection: the first time in a row that a stale one failed it.
    func mayRetryAtOnce(_ subject: String) -> Bool { self.staleInARow[subject] == 1 }

    /// When a subject that failed may be tried again.
    ///
    /// While the breaker is open that is just after its next trial call, so that each trial is made with another
    /// subject and none uses up its attempts alone.
    func earliestRetry(at time: Timestamp, now: Timestamp) -> Timestamp {
        guard case .none(let until) = self.breaker.admission(at: now) else { return time }
        return max(time, until.advanced(by: .milliseconds(1)))
    }
}
