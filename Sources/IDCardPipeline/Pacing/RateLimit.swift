import IDCardCore

/// At most so many calls per second: a token bucket, told as the time at which it will be full.
///
/// The bucket holds a single call, above ten calls per second a tenth of a second's worth: waking up a few milliseconds
/// late must not cost the rate. Source: the generic cell rate algorithm, ITU-T I.371.
struct RateLimit: Hashable, Sendable {
    private let microsecondsPerCall: Int64
    private let burst: Int64
    /// When the bucket will be full, in microseconds since the epoch.
    private var fullAt = Int64.min

    /// Makes a limit.
    ///
    /// - Parameter rate: calls per second, more than zero.
    init(perSecond rate: Double) {
        precondition(rate > 0 && rate.isFinite, "a rate must be positive, got \(rate)")
        self.microsecondsPerCall = max(1, Int64((1_000_000 / rate).rounded(.up)))
        self.burst = max(1, Int64(rate / 10))
    }

    /// How many calls may begin now.
    func available(at now: Timestamp) -> Int {
        let room = Self.microseconds(now) + self.burst * self.microsecondsPerCall - self.fullAt(asOf: now)
        return Int(min(self.burst, max(0, room / self.microsecondsPerCall)))
    }

    /// When the next call may begin; `now` if it may at once.
    func nextCall(at now: Timestamp) -> Timestamp {
        let earliest = self.fullAt(asOf: now) - (self.burst - 1) * self.microsecondsPerCall
        guard earliest > Self.microseconds(now) else { return now }
        return Timestamp(millisecondsSinceEpoch: (earliest + 999) / 1000)
    }

    /// Takes a token; returns `false` if there is none.
    mutating func take(at now: Timestamp) -> Bool {
        guard self.available(at: now) > 0 else { return false }
        self.fullAt = self.fullAt(asOf: now) + self.microsecondsPerCall
        return true
    }

    /// Never before now, nor further ahead than an empty bucket: the machine's clock may have been set back.
    private func fullAt(asOf now: Timestamp) -> Int64 {
        let now = Self.microseconds(now)
        return min(max(self.fullAt, now), now + self.burst * self.microsecondsPerCall)
    }

    private static func microseconds(_ time: Timestamp) -> Int64 { time.millisecondsSinceEpoch * 1000 }
}
