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
final class ByteClaim {
    private let budget: ByteBudget
    private let name: String
    private var count = 0

    init(_ budget: ByteBudget, name: String) {
        self.budget = budget
        self.name = name
    }

    private func counted(_ added: Int = 0) -> Int { max(0, self.count + added - Limits.freeBodyBytes) }

    /// Whether so many more would be the first that count.
    func begins(with added: Int) -> Bool { self.counted() == 0 && self.counted(added) > 0 }

    /// Takes so many more.
    ///
    /// - Throws: ``Problem``: `busy`.
    func take(_ added: Int) throws {
        guard self.budget.take(self.counted(added) - self.counted(), for: self.name) else {
            throw Problem(.busy, retryAfter: .seconds(2), endsConnection: true)
        }
        self.count += added
    }

    func giveBack() {
        _ = self.budget.take(-self.counted(), for: self.name)
        self.count = 0
    }
}
