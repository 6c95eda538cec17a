import Synchronization

/// How many bytes the bodies of all requests together may hold, and how many those of one sender.
final class ByteBudget: Sendable {
    private struct State {
        var used = 0
        var shares: [String: Int] = [:]
    }

    private let limit: Int
    private let share: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: the most bytes for all senders together.
    ///   - share: the most bytes for one.
    init(limit: Int, share: Int) {
        self.limit = limit
        self.share = share
    }

    /// How much one sender uses.
    func usedBytes(of name: String) -> Int { self.state.withLock { $0.shares[name, default: 0] } }

    fileprivate func take(_ count: Int, for name: String) -> Bool {
        self.state.withLock { state in
            let ofName = state.shares[name, default: 0] + count
            guard state.used + count <= self.limit, ofName <= self.share else { return false }
            state.used += count
            state.shares[name] = ofName > 0 ? ofName : nil
            return true
        }
    }
}

/// What one request has taken out of a ``ByteBudget``; its first 64 KiB do not count, so that small requests find room.
final class ByteClaim: Sendable {
    private let budget: ByteBudget
    private let name: String
    private let count = Mutex(0)

    init(_ budget: ByteBudget, name: String) {
        self.budget = budget
        self.name = name
    }

    /// Whether so many more would be the first that count.
    func begins(with added: Int) -> Bool {
        self.count.withLock { $0 <= Limits.freeBodyBytes && $0 + added > Limits.freeBodyBytes }
    }

    /// Takes so many more.
    ///
    /// - Throws: ``Problem``: `busy`.
    func take(_ added: Int) throws {
        let isThere = self.count.withLock { count in
            let before = max(0, count - Limits.freeBodyBytes)
            let after = max(0, count + added - Limits.freeBodyBytes)
            guard self.budget.take(after - before, for: self.name) else { return false }
            count += added
            return true
        }
        guard isThere else { throw Problem(.busy, retryAfter: .seconds(2), endsConnection: true) }
    }

    /// Gives all back.
    func giveBack() {
        self.count.withLock { count in
            _ = self.budget.take(-max(0, count - Limits.freeBodyBytes), for: self.name)
            count = 0
        }
    }
}

/// The names of requests whose first sending has not ended.
final class NamesUnderWay: Sendable {
    private let names = Mutex<Set<[String]>>([])

    /// Does something under a name, unless that is being done already: `nil` then.
    func hold<Value>(_ name: [String], _ body: () async throws -> Value) async throws -> Value? {
        guard self.names.withLock({ $0.insert(name).inserted }) else { return nil }
        defer { self.names.withLock { _ = $0.remove(name) } }
        return try await body()
    }
}
