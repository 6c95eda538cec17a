package import IDCardCore

/// Where the engine gets the time from and how it waits; tests put a clock of their own here.
package struct PipelineTime: Sendable {
    /// The wall-clock time.
    package var now: @Sendable () -> Timestamp
    /// Waits until a wall-clock time; throws `CancellationError` if the task is cancelled.
    package var sleep: @Sendable (_ until: Timestamp) async throws -> Void
    /// A clock that nobody sets and that stands still with the machine; `nil` where only the wall clock counts.
    package var steady: (@Sendable () -> SuspendingClock.Instant)?
    /// The latest time that `now` has returned.
    package let latest: LatestTime

    /// Makes a source of time.
    package init(
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (_ until: Timestamp) async throws -> Void,
        steady: (@Sendable () -> SuspendingClock.Instant)? = nil
    ) {
        let latest = LatestTime()
        self.latest = latest
        self.now = { latest.noting(now()) }
        self.sleep = sleep
        self.steady = steady
    }
}
