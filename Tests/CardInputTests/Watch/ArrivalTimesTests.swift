import CardEngine
import CardModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CardInput
@testable import CardStore

/// Photos of one side that arrive in another order than they were taken, in every way in which they do.
@Suite(.timeLimit(.minutes(5))) struct ArrivalTimesTests {
    @Test(arguments: [
        (20_261_128 as UInt64, DeliveryLayoutKind.single), (20_261_129, .application), (20_261_130, .batch),
    ])
    func `of 1,000 arrivals in three layouts no old photo goes last, and none is passed over unsaid`(
        seed: UInt64,
        layout: DeliveryLayoutKind
    ) async throws {
        let world = try await ArrivingPhotos(seed: seed, layout: layout)
        try await world.watch {
            while world.arrivals < 340 { try await world.step() }
            try await world.settle()
            try await world.checkEnds()
            try await world.chooseOthers()
        }
        #expect(try await world.process.store.upkeep.check().map(\.code) == [])
        #expect(world.skipped > 10 && world.chosen > 5 && world.process.sent.count > 100, "it shows nothing")
    }
}

// What must be so at the end.
extension ArrivingPhotos {
    /// How many seconds lie between the times of two photos, if both have one.
    private static func distance(_ one: PhotoAge, _ other: PhotoAge) -> Double {
        guard let time = one.taken, let before = other.taken else { return .infinity }
        return abs(time.duration(since: before).inSeconds)
    }

    /// The rule, written down a second time.
    private static func isNewer(_ one: PhotoAge, than other: PhotoAge) -> Bool {
        guard let time = one.taken, let before = other.taken, Self.distance(one, other) > 2 else {
            return one.order > other.order
        }
        return time > before
    }

    private func cards() async throws -> [Card] {
        try await self.process.store.listings.cards(CardFilter(), after: 0, limit: 10_000, for: .process)
    }

    func checkEnds() async throws {
        let (cards, arrived) = (try await self.cards(), self.arrived.cards.withLock(\.self))
        #expect(Set(cards.map(\.id)) == Set(arrived.keys))
        let fronts = Set(
            cards.filter { $0.state == .delivered && arrived[$0.id]?.side == .front }.map(\.metadata.businessNumber)
        )
        for photos in Dictionary(grouping: cards, by: { arrived[$0.id]?.key ?? "" }).values {
            try self.checkEnds(of: photos, arrived, fronts)
        }
    }

    /// Checks the photos of one side of one number.
    ///
    /// - Parameter fronts: the numbers of which a front was delivered: backs of others may wait for one.
    private func checkEnds(of photos: [Card], _ arrived: [CardID: Arrival], _ fronts: Set<BusinessNumber>) throws {
        let ages = Dictionary(
            uniqueKeysWithValues: photos.map { ($0.id, PhotoAge(order: $0.order, taken: arrived[$0.id]?.taken)) }
        )
        let sent = self.process.sentCards.map(\.card).filter { ages[$0] != nil }
        for (before, next) in zip(sent, sent.dropFirst()) {
            #expect(Self.isNewer(try #require(ages[next]), than: try #require(ages[before])), "\(next) after \(before)")
        }
        for card in photos
        where card.state != .verified || arrived[card.id]?.side == .front
            || fronts.contains(card.metadata.businessNumber)
        {
            #expect((card.state == .delivered) == sent.contains(card.id))
            #expect(card.state == .delivered || card.state == .superseded, "\(card.id) \(card.state)")
            guard card.state == .superseded, let last = sent.last else { continue }
            try self.checkPassedOver(card, ages, last)
        }
    }

    private func checkPassedOver(_ card: Card, _ ages: [CardID: PhotoAge], _ last: CardID) throws {
        let (age, winner) = (try #require(ages[card.id]), try #require(ages[last]))
        // Of photos that all have times, and of those that have none, the newest was sent last.
        if ages.values.allSatisfy({ $0.taken != nil }) || ages.values.allSatisfy({ $0.taken == nil }) {
            let isClose = ages.values.contains { $0 != winner && Self.distance($0, winner) <= 4 }
            #expect(isClose || !Self.isNewer(age, than: winner), "\(card.id) is newer than \(last)")
        }
        guard card.reason == .takenEarlier else { return #expect(card.reason == .superseded) }
        self.skipped += 1
        let text = try #require(card.message?.text())
        #expect(text.contains("idcard-pipeline cards retry \(card.id)") && card.notice == .line)
        let named = CardID(rawValue: String(text.split(separator: " ")[1]))
        #expect(ages[named] != nil && named != card.id)
    }

    /// Persons want photos that were passed over for their time.
    func chooseOthers() async throws {
        for card in try await self.cards() where card.reason == .takenEarlier && self.chosen < 8 {
            let (photos, id) = (self.process, card.id)
            // One that was chosen may have passed it over once more.
            guard try await photos.store.listings.cards([id], for: .process)[0].reason == .takenEarlier else {
                continue
            }
            try await photos.store.decisions.decide(id, .retry, by: AccessOrigin(actor: "test"), now: photos.now)
            try await photos.deliver()
            // The answer may come late.
            photos.pass(.seconds(40_000))
            if photos.sentCards.last?.card != id { try await photos.deliver() }
            let key = self.arrived.cards.withLock { $0[id]?.key }
            let last = photos.sentCards.last { sent in self.arrived.cards.withLock { $0[sent.card]?.key } == key }
            #expect(last?.card == id)
            self.chosen += 1
        }
    }
}
