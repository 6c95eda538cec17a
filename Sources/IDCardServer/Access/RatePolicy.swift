/// How often something may happen.
package struct RatePolicy: Hashable, Sendable {
    /// So many at once, and so many in a window on average.
    package var quota: Int
    /// The window.
    package var window: Duration

    /// Allows so many in a window.
    package init(quota: Int, window: Duration) {
        precondition(quota > 0 && window > .zero, "A rate limit of \(quota) in \(window) allows nothing.")
        self.quota = quota
        self.window = window
    }

    /// The time that one costs.
    var interval: Duration { self.window / self.quota }
}
