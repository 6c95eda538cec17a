package import IDCardCore
import Synchronization

/// The latest time that a clock has told anybody: by it even a short jump ahead is seen once the clock is right again.
package final class LatestTime: Sendable {
    private let latest = Mutex(Timestamp(millisecondsSinceEpoch: .min))

    init() {}

    /// The latest time told.
    package var time: Timestamp { self.latest.withLock { $0 } }

    /// Takes note of a time that is told, and returns it.
    func noting(_ now: Timestamp) -> Timestamp {
        self.latest.withLock { $0 = max($0, now) }
        return now
    }

    /// Goes by the clock from now on.
    package func restart(at now: Timestamp) {
        self.latest.withLock { $0 = now }
    }
}
