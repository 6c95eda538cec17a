package import IDCardCore
import IDCardPipeline

extension InMemoryStore {
    package func reclaimLeases(now: Timestamp) async throws -> Int {
        self.memory.change { state in
            let living = state.livingOwners
            return state.endLeases { $0.expiry <= now || !living.contains($0.owner) }
        }
    }

    package func renewLeases(until expiry: Timestamp) async throws {
        self.memory.change { state in
            for id in state.cards.keys where state.cards[id]?.lease?.owner == self.owner {
                state.cards[id]?.lease?.expiry = expiry
            }
            for id in state.deliveries.keys where state.deliveries[id]?.lease?.owner == self.owner {
                state.deliveries[id]?.lease?.expiry = expiry
            }
        }
    }

    package func releaseLeases() async throws {
        _ = self.memory.change { state in state.endLeases { $0.owner == self.owner } }
    }
}

extension InMemoryState {
    fileprivate mutating func endLeases(where ends: (Lease) -> Bool) -> Int {
        let cards = self.cards.filter { $0.value.lease.map(ends) ?? false }.keys
        for id in cards { self.cards[id]?.lease = nil }
        let deliveries = self.deliveries.filter { $0.value.lease.map(ends) ?? false }.keys
        for id in deliveries { self.deliveries[id]?.lease = nil }
        return cards.count + deliveries.count
    }
}
