package import CardModel
import Foundation

/// Where the engine gets the time from and how it waits; tests put a clock of their own here.
package struct EngineTime: Sendable {
    /// The wall-clock time, which rows of the sandbox hold.
    package var now: @Sendable () -> Timestamp
    /// Time since some moment by a clock that nobody sets: what waits inside the process go by.
    package var steady: @Sendable () -> Duration
    /// Waits; throws `CancellationError` if the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Timestamp,
        steady: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.steady = steady
        self.sleep = sleep
    }

    /// The machine's own clocks.
    package static let system: EngineTime = {
        let start = SuspendingClock.now
        return EngineTime(
            now: { Timestamp(Date()) },
            steady: { start.duration(to: .now) },
            sleep: { try await Task.sleep(for: $0) }
        )
    }()
}
