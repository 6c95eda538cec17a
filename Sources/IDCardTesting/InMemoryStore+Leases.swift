import Foundation
package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func reclaimLeases(now: Timestamp) async throws -> Int {
        self.memory.change { state in
            let living = state.livingOwners
            state.countCrashes()
            return state.endLeases(now: now) { $0.expiry <= now || !living.contains($0.owner) }
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

    package func applicationsLeasedElsewhere() async throws -> Set<BusinessNumber> {
        self.memory.look { state in
            let isElsewhere = { (lease: InMemoryState.Lease?) in lease.map { $0.owner != self.owner } ?? false }
            let cards = state.cards.values.filter { isElsewhere($0.lease) }.map(\.card.metadata.businessNumber)
            let deliveries = state.deliveries.values.filter { isElsewhere($0.lease) }.flatMap(
                \.delivery.businessNumbers
            )
            return Set(cards + deliveries).union(state.applicationsExpectedElsewhere(than: self.owner))
        }
    }

    package func releaseLeases() async throws {
        let now = Timestamp(Date())
        _ = self.memory.change { state in state.endLeases(now: now) { $0.owner == self.owner } }
    }
}

extension InMemoryState {
    /// Counts what dead owners left under preparation, once.
    fileprivate mutating func countCrashes() {
        for owner in self.preparing.keys where !self.livingOwners.contains(owner) {
            let digests = Set(self.preparing.removeValue(forKey: owner).map { Array($0.values) } ?? [])
            for digest in digests { self.crashes[digest, default: 0] += 1 }
        }
    }

    fileprivate mutating func endLeases(now: Timestamp, where ends: (Lease) -> Bool) -> Int {
        let cards = self.cards.values.filter { $0.lease.map(ends) ?? false }
            .sorted { ($0.card.intakeOrder, $0.card.id.rawValue) < ($1.card.intakeOrder, $1.card.id.rawValue) }
        for entry in cards {
            self.noteInterruptedCall(of: entry, now: now)
            self.cards[entry.card.id]?.lease = nil
        }
        let deliveries = self.deliveries.filter { $0.value.lease.map(ends) ?? false }.keys
        for id in deliveries { self.deliveries[id]?.lease = nil }
        return cards.count + deliveries.count
    }
}

extension InMemoryStore {
    @discardableResult
    package func see(_ now: Timestamp, believing isBelieved: Bool) async throws -> SeenTime {
        self.memory.change { state in
            var seen = state.seen ?? SeenTime(last: now)
            if seen.isBehind(now) { state.endWaits(at: now) }
            seen.see(now)
            if isBelieved { seen.believe(now) }
            state.seen = seen
            return seen
        }
    }
}

extension InMemoryState {
    /// Ends what a clock that was ahead has set.
    fileprivate mutating func endWaits(at now: Timestamp) {
        for (id, entry) in self.cards where entry.lease == nil && entry.card.state.isRunnable {
            if let due = entry.card.nextAttemptAt, due > now { self.cards[id]?.card.nextAttemptAt = nil }
            if entry.card.state != .delivering { self.cards[id]?.card.changedAt = min(entry.card.changedAt, now) }
        }
        for (id, entry) in self.deliveries where entry.phase == .open && entry.lease == nil {
            if let due = entry.nextAttemptAt, due > now { self.deliveries[id]?.nextAttemptAt = nil }
        }
        self.waits = self.waits.filter { $0.value <= now }
    }
}
