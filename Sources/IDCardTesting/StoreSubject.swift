import Foundation
import IDCardCore
package import IDCardPipeline

/// The store under test, and how to come by another owner of the same cards.
package struct StoreSubject: Sendable {
    /// An empty store.
    package let store: any CardStore
    /// Opens the same cards as another owner.
    package let another: @Sendable () async throws -> any CardStore
    /// Lets an owner die with its leases, as `kill -9` does to a process.
    package let end: @Sendable (any CardStore) async throws -> Void

    /// Takes a store to be tested.
    package init(
        store: any CardStore,
        another: @escaping @Sendable () async throws -> any CardStore,
        end: @escaping @Sendable (any CardStore) async throws -> Void
    ) {
        self.store = store
        self.another = another
        self.end = end
    }
}

// MARK: - Short ways to a state

extension StoreSubject {
    /// Admits a card that must be new.
    @discardableResult
    func admit(_ admission: Admission, at now: Timestamp = .second(0)) async throws -> Card {
        switch try await self.store.admit(admission, now: now) {
        case .admitted(let card): return card
        case .duplicate: throw ConformanceFailure(message: "the card counts as a duplicate", location: "admit")
        }
    }

    /// Admits, claims and verifies a card.
    @discardableResult
    func verified(_ sample: Sample, reading: CardReading = .front()) async throws -> Card {
        let card = try await self.admit(sample.admission)
        try await self.claimOnly(card.id)
        return try await self.store.conclude(
            card.id,
            as: .judged(reading, sample.readingKey, .accepted),
            attempt: .accepted,
            now: .second(1)
        )
    }

    /// Verifies a card and forms a delivery of it, which is open and not leased.
    @discardableResult
    func delivering(_ sample: Sample, key: String = "delivery-1") async throws -> Delivery {
        let card = try await self.verified(sample)
        let delivery = Delivery.sample(key, of: [card])
        let basis = try await self.store.snapshot(of: card.metadata.businessNumber)
        let applied = try await self.store.apply(
            ApplicationChange(deliveries: [delivery]),
            basis: basis,
            now: .second(2)
        )
        try expect(applied != nil, "a change on a fresh basis is applied")
        return delivery
    }

    /// Claims the card; it must be the only one that is due.
    func claimOnly(_ card: CardID, at now: Timestamp = .second(1)) async throws {
        let claimed = try await self.store.claimPrepared(limit: 10, until: .second(1000), now: now)
        try expectEqual(claimed.map(\.id), [card], "claimed cards")
    }

    /// Claims the delivery; it must be the only one that is due.
    @discardableResult
    func claimOnly(_ delivery: DeliveryID, at now: Timestamp = .second(3)) async throws -> Delivery {
        let claimed = try await self.store.claimDeliveries(limit: 10, until: .second(1000), now: now)
        try expectEqual(claimed.map(\.id), [delivery], "claimed deliveries")
        return claimed[0]
    }

    func card(_ id: CardID) async throws -> Card {
        try require(try await self.store.card(id), "card \(id)")
    }
}
