/// The time that a watch measures its waits by: it only runs forward, whatever is done to the machine's clock.
package struct WatchClock: Sendable {
    /// How long ago some fixed moment was.
    package var now: @Sendable () -> Duration
    /// Waits until `now` has reached a value; throws `CancellationError` if the task is cancelled.
    package var sleep: @Sendable (_ until: Duration) async throws -> Void

    /// Makes a clock of two functions.
    package init(
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (_ until: Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The machine's own.
    package static var continuous: WatchClock {
        let start = ContinuousClock.now
        return WatchClock(
            now: { ContinuousClock.now - start },
            sleep: { try await ContinuousClock().sleep(until: start + $0) }
        )
    }
}
