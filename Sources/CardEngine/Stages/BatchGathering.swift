import CardModel
import CardStore
import Synchronization

/// Joins cards of one user account into deliveries of the layout `batch`, and waits a while for more of them. Memory holds only
/// since when accounts gather; the sandbox decides each time which cards may go.
final class BatchGathering: Sendable {
    private let context: EngineContext
    /// When the first card of each incomplete delivery was seen, by the steady clock.
    private let since = Mutex<[Redacted<String>?: Duration]>([:])

    init(context: EngineContext) { self.context = context }

    /// How long until the next incomplete delivery goes; `nil` if no account gathers.
    var timeLeft: Duration? {
        self.since.withLock { $0.values.min() }.map {
            $0 + self.context.settings.batchWait - self.context.time.steady()
        }
    }

    /// Returns the deliveries that go now: full ones, those that have waited long enough, and all if no further card can come.
    ///
    /// - Parameter isAll: whether `groups` has all cards that may go; other accounts then stop gathering.
    func gather(
        _ groups: [[DeliveryMember]],
        isAll: Bool,
        limit: Int,
        nothingComes: Bool
    ) async throws -> [[DeliveryMember]] {
        let now = self.context.time.steady()
        let members = groups.joined()
        var deliveries = members.filter(\.isSplit).map { [$0] }
        let accounts = Dictionary(grouping: members.filter { !$0.isSplit }, by: \.userNumber)
        // In the order of their first cards, which is that of their priorities.
        let order = members.lazy.map(\.userNumber).reduce(into: [Redacted<String>?]()) { order, account in
            if accounts[account] != nil, !order.contains(account) { order.append(account) }
        }
        let known = self.since.withLock(\.self)
        var since = isAll ? [:] : known
        for account in order {
            let first = known[account] ?? now
            let hasWaited = nothingComes || first + self.context.settings.batchWait <= now
            var remaining = accounts[account, default: []][...]
            while !remaining.isEmpty, deliveries.count < limit {
                let next = try await self.next(remaining)
                guard next.isFull || hasWaited else { break }
                deliveries.append(next.members)
                remaining = remaining.dropFirst(next.members.count)
            }
            since[account] = remaining.isEmpty ? nil : first
        }
        self.since.withLock { [since] in $0 = since }
        return Array(deliveries.prefix(limit))
    }

    /// Returns the next delivery of an account, and whether it has no room for another card.
    private func next(_ remaining: ArraySlice<DeliveryMember>) async throws -> (members: [DeliveryMember], isFull: Bool)
    {
        let settings = self.context.settings
        let first = Array(remaining.prefix(settings.batchMaxCards))
        let fitting = try await self.context.store.deliveries.members(first, within: settings.batchMaxBytes)
        return (fitting.members, fitting.isFull || fitting.members.count == settings.batchMaxCards)
    }
}
