import GRDB
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardSandbox

/// A data key that does not open stops its own card or delivery, and nothing else.
struct DamagedKeyTests {
    let folder = SandboxFolder()

    private static let card = CardID(rawValue: "card-1")

    private func damage(_ owner: String, in store: SandboxStore) async throws {
        try await store.writer.withConnection { db in
            try db.execute(sql: "UPDATE data_key SET bytes = randomblob(60) WHERE owner = ?", arguments: [owner])
            #expect(db.changesCount == 1)
        }
    }

    @Test("a prepared card whose key is damaged fails alone, and is listed without what is sealed")
    func prepared() async throws {
        let store = try self.folder.open()
        for number in 1...2 { _ = try await store.admit(.sample(number), now: .second(1)) }
        try await self.damage("card-1", in: store)
        let claimed = try await store.claimPrepared(limit: 9, until: .second(99), now: .second(2))
        #expect(claimed.map(\.id.rawValue) == ["card-2"])
        let cards = try await store.cards(matching: CardQuery(limit: 9))
        #expect(cards.map(\.state) == [.failed, .prepared])
        #expect(cards.first?.reason == .imageUnreadable)
        #expect(cards.first?.message == nil)
        #expect(cards.first?.metadata.userNumber == nil)
        #expect(try await store.details(of: Self.card)?.card.state == .failed)
    }

    @Test("a delivery whose key is damaged is kept for a person")
    func delivery() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        _ = try await store.beginSampleDelivery()
        try await store.releaseLeases()
        try await self.damage("delivery-1", in: store)
        #expect(try await store.claimDeliveries(limit: 9, until: .second(999), now: .second(99)) == [])
        let card = try #require(try await store.card(Self.card))
        #expect(card.state == .held)
        #expect(card.reason == .outcomeUnknown, "an attempt had begun")
        let state = try self.folder.raw { try String.fetchOne($0, sql: "SELECT state FROM delivery") }
        #expect(state == "held")
    }

    @Test("a verified card whose key is damaged is held, and the others of its business number are decided on")
    func verified() async throws {
        let store = try self.folder.open()
        for number in 1...2 { _ = try await store.admit(.sample(number), now: .second(1)) }
        for card in try await store.claimPrepared(limit: 9, until: .second(99), now: .second(1)) {
            let image = try await store.preparedImage(of: card.id)
            let key = ReadingKey(imageDigest: image.digest, provider: "faceid-v1", parameters: "")
            let reading = CardReading(side: .front, fields: CardFields(name: "样本甲", number: "11010519491231002X"))
            _ = try await store.conclude(card.id, as: .judged(reading, key, .accepted), attempt: nil, now: .second(2))
        }
        try await self.damage("card-1", in: store)
        // What this process has in its hands still serves; whoever comes to the card anew meets the damage.
        store.recent.forget([Self.card])
        let number = try #require(BusinessNumber("CASE-1"))
        let snapshot = try await store.snapshot(of: number)
        #expect(snapshot.cards.filter { $0.state == .verified }.map(\.id.rawValue) == ["card-2"])
        #expect(try await store.card(Self.card)?.state == .held)
        #expect(try await store.card(Self.card)?.reason == .imageUnreadable)
    }

    @Test("a reading of the same bytes that does not open is none")
    func reading() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        let image = try await store.preparedImage(of: Self.card)
        let key = ReadingKey(imageDigest: image.digest, provider: "faceid-v1", parameters: "")
        _ = try await store.beginSampleDelivery()
        #expect(try await store.reading(for: key) != nil)
        try await self.damage("card-1", in: store)
        #expect(try await store.reading(for: key) == nil)
    }
}
