import Synchronization

/// How many bytes may be held at once for all requests together, and how many of them for one name.
final class ByteBudget: Sendable {
    private struct State {
        var used = 0
        var shares: [String: Int] = [:]
    }

    private let limit: Int
    private let share: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: the most bytes for all names together.
    ///   - share: the most bytes for one name; `nil` for all there are.
    init(limit: Int, share: Int? = nil) {
        self.limit = limit
        self.share = share ?? limit
    }

    /// How much is in use.
    var usedBytes: Int { self.state.withLock { $0.used } }

    /// How much is in use under a name.
    func usedBytes(of name: String) -> Int { self.state.withLock { $0.shares[name, default: 0] } }

    /// Begins an account that takes nothing yet.
    func claim(of name: String = "") -> ByteClaim { ByteClaim(self, name: name) }

    fileprivate func take(_ count: Int, for name: String) -> Bool {
        self.state.withLock { state in
            let ofName = state.shares[name, default: 0]
            guard state.used + count <= self.limit, ofName + count <= self.share else { return false }
            state.used += count
            if ofName + count > 0 { state.shares[name] = ofName + count }
            return true
        }
    }

    fileprivate func giveBack(_ count: Int, of name: String) {
        self.state.withLock { state in
            state.used -= count
            let left = state.shares[name, default: 0] - count
            state.shares[name] = left > 0 ? left : nil
        }
    }
}

/// What one request has taken out of a ``ByteBudget``; whoever begins it gives it back.
final class ByteClaim: Sendable {
    private let budget: ByteBudget
    private let name: String
    private let held = Mutex(0)

    fileprivate init(_ budget: ByteBudget, name: String) {
        self.budget = budget
        self.name = name
    }

    /// Takes so many more; returns whether they were there.
    func take(_ count: Int) -> Bool {
        guard self.budget.take(count, for: self.name) else { return false }
        self.held.withLock { $0 += count }
        return true
    }

    /// Gives all back.
    func giveBack() {
        let count = self.held.withLock { held in
            defer { held = 0 }
            return held
        }
        self.budget.giveBack(count, of: self.name)
    }
}
