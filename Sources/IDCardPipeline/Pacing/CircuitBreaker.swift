import IDCardCore

/// Leaves an endpoint alone that keeps failing, and finds out with one call at a time whether it works again.
///
/// Opens after so many failures in a row, or when, over a whole window with enough calls, more than half of them
/// failed. While it is open nothing is tried; then one call decides: an answer closes it, a failure opens it again for
/// twice as long, up to a cap. Calls that began before it opened decide nothing: what fails late is the same outage,
/// what succeeds late does not end it.
struct CircuitBreaker: Hashable, Sendable {
    /// What it lets through.
    enum Admission: Hashable, Sendable {
        /// Everything.
        case all
        /// One call at a time, to see whether the endpoint works again.
        case one
        /// Nothing before a time.
        case none(until: Timestamp)
    }

    private enum State: Hashable, Sendable {
        case closed
        /// Also after `until`, as long as no call has ended.
        case open(until: Timestamp, interval: Duration, since: UInt64)
    }

    /// The span over which failures and calls are set against each other, and how many calls it takes.
    static let window = Duration.seconds(10)
    static let fewestCalls = 20

    private let failures: Int
    private let firstInterval: Duration
    private let longestInterval: Duration
    private var state = State.closed
    private var failuresInARow = 0
    private var calls = SlidingCount(window: Self.window)
    private var failed = SlidingCount(window: Self.window)
    /// Since when calls are counted.
    private var countsSince: Timestamp?

    /// Makes a breaker.
    ///
    /// - Parameters:
    ///   - failures: how many in a row open it; 0 for one that never opens.
    ///   - interval: how long it stays open at first.
    ///   - cap: how long at most.
    init(failures: Int, openFor interval: Duration, cap: Duration) {
        precondition(
            failures >= 0 && interval > .zero,
            "a breaker needs a count and a time, got \(failures), \(interval)"
        )
        self.failures = failures
        self.firstInterval = interval
        self.longestInterval = max(interval, cap)
    }

    /// Whether calls have failed since the last answer.
    var isFailing: Bool { self.state != .closed || self.failuresInARow > 0 }

    /// What is let through at a time.
    func admission(at now: Timestamp) -> Admission {
        switch self.state {
        case .closed: .all
        case .open(let until, _, _): now < until ? .none(until: until) : .one
        }
    }

    /// Takes note of an answer, whatever it says; returns whether that closed the breaker.
    mutating func answered(_ call: PacedCall, at now: Timestamp) -> Bool {
        if case .open(_, _, let since) = self.state {
            guard call.number >= since else { return false }
            self.close()
            return true
        }
        self.failuresInARow = 0
        self.count(at: now)
        return false
    }

    /// Takes note of a failed call; returns until when that opened the breaker, if it did.
    ///
    /// - Parameter next: the number that the next call will have.
    mutating func failed(_ call: PacedCall, next: UInt64, at now: Timestamp) -> Timestamp? {
        guard self.failures > 0 else {
            self.failuresInARow += 1
            return nil
        }
        if case .open(_, let interval, let since) = self.state {
            guard call.number >= since else { return nil }
            return self.open(for: min(interval * 2, self.longestInterval), next: next, at: now)
        }
        self.failuresInARow += 1
        self.count(at: now)
        self.failed.add(at: now)
        guard self.failuresInARow >= self.failures || self.mostFail(at: now) else { return nil }
        return self.open(for: self.firstInterval, next: next, at: now)
    }

    /// Ends the time for which the endpoint is left alone, and forgets counts, by a clock that went back.
    mutating func endWaits(at now: Timestamp) {
        if case .open(let until, let interval, let since) = self.state {
            self.state = .open(until: min(until, now), interval: interval, since: since)
        }
        self.countsSince = nil
        self.calls.clear()
        self.failed.clear()
    }

    private mutating func count(at now: Timestamp) {
        self.countsSince = self.countsSince ?? now
        self.calls.add(at: now)
    }

    /// A bad second is not sustained: the counts must span the window.
    private mutating func mostFail(at now: Timestamp) -> Bool {
        self.calls.expire(at: now)
        self.failed.expire(at: now)
        guard let countsSince, now >= countsSince.advanced(by: Self.window) else { return false }
        return self.calls.count >= Self.fewestCalls && self.failed.count * 2 > self.calls.count
    }

    private mutating func open(for interval: Duration, next: UInt64, at now: Timestamp) -> Timestamp {
        let until = now.advanced(by: interval)
        self.state = .open(until: until, interval: interval, since: next)
        return until
    }

    private mutating func close() {
        self.state = .closed
        self.failuresInARow = 0
        self.countsSince = nil
        self.calls.clear()
        self.failed.clear()
    }
}
