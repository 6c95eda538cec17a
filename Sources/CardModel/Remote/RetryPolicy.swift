/// Exponential backoff with full jitter: `random(0, min(cap, base · 2^n))`, the cap applied before the jitter.
///
/// With base 1 s and cap 60 s the upper bounds are 1, 2, 4, 8, 16, 32, 60, 60 … seconds.
/// Source: AWS Architecture Blog, "Exponential Backoff And Jitter".
package struct RetryPolicy: Hashable, Sendable {
    /// The upper bound of the first delay.
    package var base: Duration
    /// The upper bound of every delay.
    package var cap: Duration

    package init(base: Duration = .milliseconds(500), cap: Duration = .seconds(30)) {
        precondition(base > .zero && cap > .zero, "retry base and cap must be positive, got \(base) and \(cap)")
        self.base = base
        self.cap = cap
    }

    /// The upper bound of the delay after a failed attempt.
    ///
    /// - Parameter attempt: the number of attempts that have failed so far, at least 1.
    package func bound(afterAttempt attempt: Int) -> Duration {
        let doublings = min(max(attempt - 1, 0), 30)
        return min(self.cap, self.base * (1 << doublings))
    }

    package func delay(afterAttempt attempt: Int, using random: inout some RandomNumberGenerator) -> Duration {
        let bound = self.bound(afterAttempt: attempt).wholeMilliseconds
        return .milliseconds(Int64.random(in: 0...max(bound, 1), using: &random))
    }
}
