import Synchronization

/// The idempotency keys of the uploads that are under way, from the request's head to its answer.
final class RunningKeys: Sendable {
    private let keys = Mutex<Set<String>>([])

    /// Takes a key; `false` when an upload with it is under way.
    func begin(_ key: String) -> Bool {
        self.keys.withLock { $0.insert(key).inserted }
    }

    /// Gives a key back.
    func end(_ key: String) {
        self.keys.withLock { _ = $0.remove(key) }
    }

    /// How many are under way.
    var count: Int {
        self.keys.withLock { $0.count }
    }
}
