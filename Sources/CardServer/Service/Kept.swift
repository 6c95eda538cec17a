import Synchronization

/// What costs time to find out, and is told again for a while.
final class Kept<Value: Sendable>: Sendable {
    private let kept = Mutex<(until: Duration, value: Value)?>(nil)

    /// Returns the value of before, or finds it out anew.
    ///
    /// - Parameter time: for how long it is told, by how long it took to find out.
    func value(for time: (_ took: Duration) -> Duration, _ find: () async throws -> Value) async throws -> Value {
        let start = ConnectionGuard.now
        if let kept = self.kept.withLock({ $0 }), start < kept.until { return kept.value }
        let value = try await find()
        let end = ConnectionGuard.now
        self.kept.withLock { $0 = (end + time(end - start), value) }
        return value
    }
}
