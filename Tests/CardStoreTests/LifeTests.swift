import CardModel
import CardStore
import Foundation
import Testing

@Suite struct LifeTests {
    @Test func `a front and its back go one after the other in five commits a card`() async throws {
        let harness = try await StoreHarness()
        let before = harness.store.commits
        let outcomes = try await harness.store.admit(
            [harness.photo("front", number: "N1"), harness.photo("back", number: "N1")],
            now: harness.now
        )
        let (front, back) = (outcomes[0].card, outcomes[1].card)
        try await harness.verify([back: (.back, nil)])
        #expect(try await harness.proposals() == [[front]])
        try await harness.deliverAll()
        #expect(try await harness.state(front) == "delivered")
        #expect(try await harness.state(back) == "delivered")
        // One admits both, one claims both; then each is judged, sent and concluded.
        #expect(harness.store.commits - before == 2 + 2 * 3)
    }

    @Test func `a card survives closing and opening`() async throws {
        let harness = try await StoreHarness()
        let id = try await harness.verified("front", number: "N1", .front)
        try await harness.store.end(harness.worker, now: harness.now)
        try harness.store.close()
        harness.store = try await CardStore.open(
            path: harness.folder,
            kind: nil,
            ring: KeyRing(harness.key),
            creating: false,
            now: harness.now
        )
        #expect(try await harness.state(id) == "verified")
        let details = try await harness.store.show(id, to: AccessOrigin(actor: "test"), now: harness.now)
        #expect(details.reading?.fields.name?.reveal() == "SPECIMEN")
        #expect(details.inputName?.reveal() == "front.jpg")
        #expect(details.events.map(\.state) == [.prepared, .verified])
    }

    @Test func `another key does not open the sandbox`() async throws {
        let harness = try await StoreHarness()
        await #expect {
            try await CardStore.open(
                path: harness.folder,
                kind: nil,
                ring: KeyRing(VaultKey.random()),
                creating: false,
                now: harness.now
            )
        } throws: { ($0 as? CodedError)?.code == .wrongKey }
    }

    @Test func `the same bytes under the same number are one card, under another number two`() async throws {
        let harness = try await StoreHarness()
        let first = try await harness.admit("front", number: "N1")
        let again = try await harness.admit("front", number: "N1")
        let other = try await harness.admit("front", number: "N2")
        #expect(again.card == first.card)
        #expect(again.isDuplicate)
        #expect(!other.isDuplicate)
        #expect(other.card != first.card)
    }

    @Test func `a reading is not paid for twice`() async throws {
        let harness = try await StoreHarness()
        let id = try await harness.admit("front", number: "N1").card
        let job = try #require(try await harness.claim().first)
        let rejected = Judgement(.rejected(VerdictRule.legalityLow.reason, message: "too low"))
        let reading = CardReading(side: .front, fields: CardFields(name: "SPECIMEN", number: "11010519491231002X"))
        let key = ReadingKey(imageDigest: job.image.digest, provider: "test", parameters: "")
        try await harness.store.conclude(job, with: .judged(reading, key: key, rejected), now: harness.now)
        #expect(try await harness.state(id) == "rejected legality_low")
        try await harness.store.retry(id, by: AccessOrigin(actor: "test"), now: harness.now)
        let again = try #require(try await harness.claim().first)
        #expect(again.reading == reading)
        #expect(again.attempt == nil)
    }
}
