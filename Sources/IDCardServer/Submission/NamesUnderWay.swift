import Synchronization

/// The names whose first request has not ended.
final class NamesUnderWay: Sendable {
    private let names = Mutex<Set<[String]>>([])

    /// Does something under a name, unless that is being done already: `nil` then.
    func hold<Value>(_ name: [String], _ body: () async throws -> Value) async throws -> Value? {
        guard self.names.withLock({ $0.insert(name).inserted }) else { return nil }
        defer { self.names.withLock { _ = $0.remove(name) } }
        return try await body()
    }
}
