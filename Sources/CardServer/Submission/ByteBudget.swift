import CardModel
import NIOCore
import Synchronization

/// How many bytes the bodies of all known senders together may hold, and how many those of one sender.
final class ByteBudget: Sendable {
    private let share: Int
    private let patience: Duration
    fileprivate let line: FairQueue<[String: Int], (count: Int, name: String)>

    /// - Parameter patience: how long a body waits for its bytes.
    init(limit: Int, share: Int, patience: Duration) {
        self.share = share
        self.patience = patience
        self.line = FairQueue([:]) { shares, demand in
            let ofName = shares[demand.name, default: 0] + demand.count
            guard shares.values.reduce(demand.count, +) <= limit, ofName <= share else { return false }
            shares[demand.name] = ofName
            return true
        }
    }

    /// Lends the bytes of a body while something is done with it; its first 64 KiB do not count, so that small ones find room.
    ///
    /// Those of a photo are taken at once and before they come, so that bodies which wait hold nothing that others wait for; more
    /// are taken as they come, and not waited for.
    ///
    /// - Parameter count: how many there will be; `nil` if that is not known.
    /// - Throws: ``Problem``: `busy`.
    func lend<Value>(_ count: Int?, to name: String, _ body: (ByteLoan) async throws -> Value) async throws -> Value {
        let loan = ByteLoan(budget: self, name: name)
        let (counted, patience) = (self.counted(count ?? 0), self.patience)
        guard await self.line.enter((counted, name), until: { try? await Task.sleep(for: patience) }) else {
            throw Self.busy
        }
        loan.count = counted
        defer {
            self.line.leave { shares in
                let left = shares[name, default: 0] - loan.count
                shares[name] = left > 0 ? left : nil
            }
        }
        return try await body(loan)
    }

    fileprivate func counted(_ count: Int) -> Int { min(max(0, count - Limits.freeBodyBytes), self.share) }

    fileprivate static let busy = Problem(.busy, retryAfter: .seconds(2), endsConnection: true)
}

/// What a body has of a ``ByteBudget``.
final class ByteLoan {
    private let budget: ByteBudget
    private let name: String
    fileprivate var count = 0

    fileprivate init(budget: ByteBudget, name: String) {
        self.budget = budget
        self.name = name
    }

    /// So many bytes have come by now.
    ///
    /// - Throws: ``Problem``: `busy`.
    func grow(to count: Int) throws {
        let counted = self.budget.counted(count)
        guard counted > self.count else { return }
        guard self.budget.line.enter((counted - self.count, self.name)) else { throw ByteBudget.busy }
        self.count = counted
    }
}

/// The bodies in memory that nobody has signed yet: they take nothing of the ``ByteBudget``, and have little room
/// themselves. When that is used up, the one that ``EvictableConnections`` tells gives way, so that slow senders keep
/// no other out of it.
final class UnsignedBodies: Sendable {
    private let limit: Int
    private let bodies = Mutex(EvictableConnections())

    /// - Parameter limit: the most bytes of all together, beyond what does not count of each.
    init(limit: Int) { self.limit = limit }

    /// A body is about to be read from a connection.
    func begin(_ channel: any Channel) {
        let network = channel.remoteAddress.map(ServerContext.network(of:)) ?? ""
        self.bodies.withLock { $0.add(channel, of: network, size: 0) }
    }

    /// It is so large by now.
    ///
    /// - Throws: ``Problem``: `busy`, if it gives way.
    func grow(_ channel: any Channel, to count: Int) throws {
        let (isLost, others) = self.bodies.withLock { bodies in
            bodies.resize(channel, to: max(0, count - Limits.freeBodyBytes))
            var others: [any Channel] = []
            while bodies.size > self.limit, let first = bodies.giveWay() { others.append(first) }
            return (!bodies.contains(channel), others)
        }
        for other in others where other !== channel {
            other.triggerUserOutboundEvent(ConnectionSignal.endsBody(ByteBudget.busy), promise: nil)
        }
        if isLost { throw ByteBudget.busy }
    }

    /// It is signed, or will never be.
    func end(_ channel: any Channel) { self.bodies.withLock { $0.remove(channel) } }
}
