import Synchronization

/// How often something may happen.
package struct RatePolicy: Hashable, Sendable {
    /// So many at once, and so many in a window on average.
    package let quota: Int
    package let window: Duration

    package init(quota: Int, window: Duration) {
        precondition(quota > 0 && window > .zero, "A rate limit of \(quota) in \(window) allows nothing.")
        self.quota = quota
        self.window = window
    }

    /// The time that one costs.
    var interval: Duration { self.window / self.quota }
}

/// Limits how often something happens, name by name: the generic cell rate algorithm, a leaking bucket without a timer.
///
/// Times are durations since any one moment.
final class RateLimit: Sendable {
    /// How a name stands after it was counted.
    struct Status: Hashable, Sendable {
        var policy: RatePolicy
        /// How many more are allowed right now.
        var remaining: Int
        /// When all are allowed again.
        var reset: Duration
        /// `nil` if it was allowed; else how long to wait.
        var wait: Duration?

        /// `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
        var policyField: String { "\"default\";q=\(self.policy.quota);w=\(self.policy.window.wholeSecondsUp)" }
        /// `RateLimit` of the same draft.
        var field: String { "\"default\";r=\(self.remaining);t=\(self.reset > .zero ? self.reset.wholeSecondsUp : 0)" }
    }

    private let policy: RatePolicy
    private let capacity: Int
    /// When each name has used up what it has used: the theoretical arrival time of the algorithm.
    private let arrivals = Mutex<[String: Duration]>([:])

    /// - Parameter capacity: how many names are told apart at once.
    init(_ policy: RatePolicy, capacity: Int = Limits.rateNames) {
        self.policy = policy
        self.capacity = capacity
    }

    /// Counts one, unless it is too much.
    func count(_ name: String, at time: Duration) -> Status {
        self.arrivals.withLock { arrivals in
            if arrivals[name] == nil, arrivals.count >= self.capacity { self.makeRoom(&arrivals, at: time) }
            var arrival = max(arrivals[name] ?? time, time)
            let wait = arrival + self.policy.interval - time - self.policy.window
            if wait <= .zero {
                arrival += self.policy.interval
                arrivals[name] = arrival
            }
            return Status(
                policy: self.policy,
                remaining: max(0, Int((self.policy.window - (arrival - time)) / self.policy.interval)),
                reset: arrival - time,
                wait: wait > .zero ? wait : nil
            )
        }
    }

    /// Forgets those that have everything back; if there are none, those that have most of it.
    private func makeRoom(_ arrivals: inout [String: Duration], at time: Duration) {
        arrivals = arrivals.filter { $0.value > time }
        guard arrivals.count >= self.capacity else { return }
        let oldest = arrivals.sorted { $0.value < $1.value }.prefix(self.capacity / 10 + 1)
        for (name, _) in oldest { arrivals[name] = nil }
    }
}
