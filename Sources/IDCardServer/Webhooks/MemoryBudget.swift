import Synchronization

/// How many bytes may be held in memory at once for all requests together.
final class MemoryBudget: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// How much is in use.
    var usedBytes: Int { self.used.withLock { $0 } }

    /// Takes some; returns whether it was there.
    func take(_ count: Int) -> Bool {
        self.used.withLock { used in
            guard used + count <= self.limit else { return false }
            used += count
            return true
        }
    }

    /// Gives some back.
    func giveBack(_ count: Int) {
        self.used.withLock { $0 -= count }
    }
}
