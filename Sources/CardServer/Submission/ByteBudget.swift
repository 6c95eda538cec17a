import NIOCore
import Synchronization

/// How many bytes the bodies of all known senders together may hold, and how many those of one sender.
final class ByteBudget: Sendable {
    private let limit: Int
    private let share: Int
    private let shares = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - limit: the most bytes for all senders together.
    ///   - share: the most bytes for one.
    init(limit: Int, share: Int) {
        self.limit = limit
        self.share = share
    }

    fileprivate func take(_ count: Int, for name: String) -> Bool {
        self.shares.withLock { shares in
            let ofName = shares[name, default: 0] + count
            guard shares.values.reduce(count, +) <= self.limit, ofName <= self.share else { return false }
            shares[name] = ofName > 0 ? ofName : nil
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

/// The bodies in memory that nobody has signed yet: they take nothing of the ``ByteBudget``, and have little room
/// themselves. When that is used up, the one that ``EvictableConnections`` tells gives way, so that slow senders keep
/// no other out of it.
final class UnsignedBodies: Sendable {
    private let limit: Int
    private let bodies = Mutex(EvictableConnections())

    /// - Parameter limit: the most bytes of all together, beyond what does not count of each.
    init(limit: Int) {
        self.limit = limit
    }

    /// A body is about to be read from a connection.
    func begin(_ channel: any Channel) {
        let network = channel.remoteAddress.map(ServerContext.network(of:)) ?? ""
        self.bodies.withLock { $0.add(channel, of: network, size: 0) }
    }

    /// It is so large by now.
    ///
    /// - Throws: ``Problem``: `busy`, if it gives way.
    func grow(_ channel: any Channel, to count: Int) throws {
        let problem = Problem(.busy, retryAfter: .seconds(2), endsConnection: true)
        let (isLost, others) = self.bodies.withLock { bodies in
            bodies.resize(channel, to: max(0, count - Limits.freeBodyBytes))
            var others: [any Channel] = []
            while bodies.size > self.limit, let first = bodies.giveWay() { others.append(first) }
            return (!bodies.contains(channel), others)
        }
        for other in others where other !== channel {
            other.triggerUserOutboundEvent(ConnectionSignal.endsBody(problem), promise: nil)
        }
        if isLost { throw problem }
    }

    /// It is signed, or will never be.
    func end(_ channel: any Channel) { self.bodies.withLock { $0.remove(channel) } }
}
