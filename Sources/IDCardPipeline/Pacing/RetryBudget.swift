import IDCardCore

/// Bounds what retries add to the load of an endpoint that fails.
///
/// Within any ten seconds there are at most `ratio` retries per first attempt, plus `floor` per second. Only what did
/// not help counts: a retry that got an answer is handed back, so that work left over from an outage flows freely once
/// the endpoint works. Throttled calls and those never sent are neither first attempts nor retries: their pace is that
/// of the throttle and of the backoff between connections.
///
/// | first attempts in 10 s | retries in 10 s (ratio 0.2, floor 1/s) |
/// |---|---|
/// | 0 | 10 |
/// | 50 | 20 |
/// | 200 | 50 |
///
/// Source: Finagle's `RetryBudget` (20 % and a minimum per second over ten seconds).
struct RetryBudget: Hashable, Sendable {
    /// The span over which retries and first attempts are set against each other.
    static let window = Duration.seconds(10)
    /// How long a retry is put off at most: then it asks again, for the endpoint may have recovered.
    static let longestWait = Duration.seconds(30)

    private let ratio: Double
    private let floor: Double
    private var firsts = SlidingCount(window: Self.window)
    private var retries = SlidingCount(window: Self.window)
    /// Until when the last uncovered retry was put off: those behind it queue up.
    private var endOfQueue: Timestamp?

    /// Makes a budget.
    ///
    /// - Parameters:
    ///   - ratio: retries per first attempt.
    ///   - floor: further retries per second; at least one in ten seconds is always covered, or a card could wait for
    /// ever.
    init(ratio: Double, floor: Double) {
        precondition(ratio >= 0 && floor >= 0, "a retry budget must not be negative, got \(ratio) and \(floor)")
        self.ratio = ratio
        self.floor = floor
    }

    /// How many retries the last ten seconds may hold.
    private var allowance: Int {
        let windowSeconds = Self.window.inSeconds
        return max(1, Int(self.ratio * Double(self.firsts.count) + self.floor * windowSeconds))
    }

    /// Enters a call; returns until when it is put off if it is a retry that is not covered.
    mutating func begin(isRetry: Bool, at now: Timestamp) -> Timestamp? {
        self.firsts.expire(at: now)
        self.retries.expire(at: now)
        guard isRetry else {
            self.firsts.add(at: now)
            return nil
        }
        let allowance = self.allowance
        guard self.retries.count >= allowance else {
            self.retries.add(at: now)
            return nil
        }
        return self.putOff(allowance: allowance, at: now)
    }

    /// Hands back a call that got an answer, or that never reached the endpoint.
    mutating func handBack(_ call: PacedCall, wasAnswered: Bool) {
        if call.isRetry {
            self.retries.remove(at: call.startedAt)
        } else if !wasAnswered {
            self.firsts.remove(at: call.startedAt)
        }
    }

    /// Forgets what was counted by a clock that went back: nothing of it would ever be over.
    mutating func endWaits() {
        self.firsts.clear()
        self.retries.clear()
        self.endOfQueue = nil
    }

    /// One after the other at the pace of the budget, so that those behind are not claimed in vain all the time.
    private mutating func putOff(allowance: Int, at now: Timestamp) -> Timestamp {
        let covered = self.retries.time(whenAtMost: allowance - 1, at: now)
        let spacing = Self.window / allowance
        let queued = self.endOfQueue.map { $0.advanced(by: spacing) } ?? covered
        let until = min(max(covered, queued), now.advanced(by: Self.longestWait))
        self.endOfQueue = until
        return max(until, now.advanced(by: .milliseconds(100)))
    }
}
