import Synchronization

/// A number of events that are allowed in each window of time.
package struct RatePolicy: Hashable, Sendable {
    /// The largest burst, and the average number in a window.
    package let quota: Int
    package let window: Duration

    package init(quota: Int, window: Duration) {
        precondition(quota > 0 && window > .zero, "A rate limit of \(quota) in \(window) allows nothing.")
        self.quota = quota
        self.window = window
    }

    /// The part of the window that one event uses up.
    var interval: Duration { self.window / self.quota }
}

/// Limits how often events of each name happen: the generic cell rate algorithm, a leaking bucket without a timer.
///
/// Times are durations since any fixed moment.
final class RateLimit: Sendable {
    /// The state of a name after an event was counted.
    struct Status: Hashable, Sendable {
        var policy: RatePolicy
        /// How many more events are allowed right now.
        var remaining: Int
        /// How long until the whole quota is available.
        var reset: Duration
        /// How long to wait; `nil` if the event was allowed.
        var wait: Duration?

        /// `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
        var policyField: String { "\"default\";q=\(self.policy.quota);w=\(self.policy.window.wholeSecondsUp)" }
        /// `RateLimit` of the same draft.
        var field: String { "\"default\";r=\(self.remaining);t=\(self.reset > .zero ? self.reset.wholeSecondsUp : 0)" }
    }

    private let policy: RatePolicy
    private let capacity: Int
    /// When each name has its whole quota again: the theoretical arrival time of the algorithm.
    private let arrivals = Mutex<[String: Duration]>([:])

    /// - Parameter capacity: how many names are counted separately at a time.
    init(_ policy: RatePolicy, capacity: Int = Limits.rateNames) {
        self.policy = policy
        self.capacity = capacity
    }

    /// Counts an event, unless it exceeds the limit.
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

    /// Whether another event of a name would be allowed now.
    func isFree(_ name: String, at time: Duration) -> Bool {
        let arrival = self.arrivals.withLock { max($0[name] ?? time, time) }
        return arrival + self.policy.interval - time <= self.policy.window
    }

    /// Drops the names that have their whole quota; if there are none, those that have most of it.
    private func makeRoom(_ arrivals: inout [String: Duration], at time: Duration) {
        arrivals = arrivals.filter { $0.value > time }
        guard arrivals.count >= self.capacity else { return }
        let oldest = arrivals.sorted { $0.value < $1.value }.prefix(self.capacity / 10 + 1)
        for (name, _) in oldest { arrivals[name] = nil }
    }
}
