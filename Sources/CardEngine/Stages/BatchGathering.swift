import CardModel
import Synchronization

/// Joins cards of one user account into deliveries of the layout `batch`, and waits a while for more of them.
///
/// Only how long is waited is kept in memory; which cards may go is decided by the sandbox each time.
final class BatchGathering: Sendable {
    private let settings: EngineSettings
    private let time: EngineTime
    /// When the first card of an account that is not full was seen.
    private let since = Mutex<[Redacted<String>?: Timestamp]>([:])

    init(settings: EngineSettings, time: EngineTime) {
        self.settings = settings
        self.time = time
    }

    /// When the first account goes that is not full; `nil` if none gathers.
    var opens: Timestamp? {
        self.since.withLock { $0.values.min()?.advanced(by: self.settings.batchWait) }
    }

    /// Returns the deliveries that go now: full ones, those that have waited long enough, and all if nothing more can come.
    func gather(_ groups: [[DeliveryMember]], limit: Int, nothingComes: Bool) -> [[DeliveryMember]] {
        let now = self.time.now()
        let members = groups.joined()
        let alone = members.filter(\.goesAlone).map { [$0] }
        let accounts = Dictionary(grouping: members.filter { !$0.goesAlone }, by: \.userNumber)
        return self.since.withLock { since in
            since = since.filter { accounts[$0.key] != nil }
            var deliveries = alone
            for (account, members) in accounts {
                var rest = members[...]
                while rest.count >= self.settings.batchMaxCards {
                    deliveries.append(Array(rest.prefix(self.settings.batchMaxCards)))
                    rest = rest.dropFirst(self.settings.batchMaxCards)
                }
                guard !rest.isEmpty else {
                    since[account] = nil
                    continue
                }
                let first = since[account] ?? now
                if nothingComes || first.advanced(by: self.settings.batchWait) <= now {
                    deliveries.append(Array(rest))
                    since[account] = nil
                } else {
                    since[account] = first
                }
            }
            return Array(deliveries.prefix(limit))
        }
    }
}
