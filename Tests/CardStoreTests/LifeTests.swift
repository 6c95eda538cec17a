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
        harness.store = try await harness.another()
        #expect(try await harness.state(id) == "verified")
        let details = try await harness.store.reveal(id, to: AccessOrigin(actor: "test"), now: harness.now)
        #expect(details.reading?.fields.name?.reveal() == "SPECIMEN")
        #expect(details.inputName?.reveal() == "front.jpg")
        #expect(details.events.map(\.state) == [.prepared, .verified])
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
}
