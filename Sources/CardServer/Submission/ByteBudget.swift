import CardModel
import NIOCore
import Synchronization

/// Limits the bytes of all bodies in memory together, and those of each authenticated submitter.
final class ByteBudget: Sendable {
    private let share: Int
    private let patience: Duration
    fileprivate let queue: FairQueue<[String: Int], (count: Int, name: String)>

    /// - Parameter patience: how long a body waits for its bytes.
    init(limit: Int, share: Int, patience: Duration) {
        self.share = share
        self.patience = patience
        self.queue = FairQueue([:]) { shares, demand in
            let ofName = shares[demand.name, default: 0] + demand.count
            guard shares.values.reduce(demand.count, +) <= limit, ofName <= share else { return false }
            shares[demand.name] = ofName
            return true
        }
    }

    /// Lends the bytes of a body during `body`; its first 64 KiB do not count, so that small bodies are always admitted.
    ///
    /// The bytes of a photo are reserved together and before they arrive, so that a body that waits holds nothing; more
    /// bytes are reserved as they arrive, without waiting.
    ///
    /// - Parameter count: the expected number; `nil` if it is unknown.
    /// - Throws: ``Problem``: `busy`.
    func lend<Value>(_ count: Int?, to name: String, _ body: (ByteLoan) async throws -> Value) async throws -> Value {
        let loan = ByteLoan(budget: self, name: name)
        let (counted, patience) = (self.counted(count ?? 0), self.patience)
        guard await self.queue.enter((counted, name), until: { try? await Task.sleep(for: patience) }) else {
            throw Self.busy
        }
        loan.count = counted
        defer {
            self.queue.leave { shares in
                let left = shares[name, default: 0] - loan.count
                shares[name] = left > 0 ? left : nil
            }
        }
        return try await body(loan)
    }

    fileprivate func counted(_ count: Int) -> Int { min(max(0, count - Limits.freeBodyBytes), self.share) }

    fileprivate static let busy = Problem(.busy, retryAfter: .seconds(2), endsConnection: true)
}

/// The bytes of a ``ByteBudget`` that are reserved for a body.
final class ByteLoan {
    private let budget: ByteBudget
    private let name: String
    fileprivate var count = 0

    fileprivate init(budget: ByteBudget, name: String) {
        self.budget = budget
        self.name = name
    }

    /// Reserves more bytes if more have arrived than the loan covers.
    ///
    /// - Throws: ``Problem``: `busy`.
    func grow(to count: Int) throws {
        let counted = self.budget.counted(count)
        guard counted > self.count else { return }
        guard self.budget.queue.enter((counted - self.count, self.name)) else { throw ByteBudget.busy }
        self.count = counted
    }
}

/// Webhook bodies with unchecked signatures, in a small budget outside the ``ByteBudget``; when it is full,
/// ``EvictableConnections`` chooses a body to give up, so that slow clients keep no other client out.
final class UnsignedBodies: Sendable {
    private let limit: Int
    private let bodies = Mutex(EvictableConnections())

    /// - Parameter limit: the most bytes of all bodies together, without the first bytes of each that do not count.
    init(limit: Int) { self.limit = limit }

    /// Registers a body that is about to be read from a connection.
    func begin(_ channel: any Channel) {
        self.bodies.withLock { $0.add(channel, of: channel.remoteAddress?.network ?? "", size: 0) }
    }

    /// Sets the size of a body; if the total exceeds the limit, gives up other bodies, or this one.
    ///
    /// - Throws: ``Problem``: `busy`, if this body is given up.
    func grow(_ channel: any Channel, to count: Int) throws {
        let (isGivenUp, others) = self.bodies.withLock { bodies in
            bodies.resize(channel, to: max(0, count - Limits.freeBodyBytes))
            var others: [any Channel] = []
            while bodies.size > self.limit, let first = bodies.evictOldest() { others.append(first) }
            return (!bodies.contains(channel), others)
        }
        for other in others where other !== channel {
            other.triggerUserOutboundEvent(ConnectionSignal.endsBody(ByteBudget.busy), promise: nil)
        }
        if isGivenUp { throw ByteBudget.busy }
    }

    /// Removes a body: its signature was checked, or reading it has failed.
    func remove(_ channel: any Channel) { self.bodies.withLock { $0.remove(channel) } }
}
