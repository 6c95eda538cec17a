import CardModel
import Foundation
import Testing

@testable import CardStore

/// Cards that are erased before their end, and what comes of them later.
@Suite struct ErasedCardTests {
    @Test func `a card that is erased while its image is fetched leaves nothing, and takes nothing that comes late`()
        async throws
    {
        let harness = try await StoreHarness()
        let job = try await harness.fetching("photo")
        try await Self.erase(job.card.id, in: harness)
        await #expect(throws: CodedError.self) { try await harness.keep("more", at: 5, of: job, byteCount: 9) }
        #expect(try await harness.conclude(job, .fetched).state == .erased)
        #expect(try await harness.claimFetching().isEmpty)
        try await Self.expectNothing(of: job.card.id, in: harness)
    }

    @Test func `a card that is erased while it is prepared leaves nothing, and gets no image later`() async throws {
        let harness = try await StoreHarness()
        let photo = harness.received("photo")
        try await harness.admit(photo)
        let job = try #require(try await harness.claimPreparation().first)
        try await Self.erase(photo.id, in: harness)
        let image = StoreHarness.image("small")
        #expect(try await harness.store.conclude(job, with: .prepared(image), now: harness.now).state == .erased)
        #expect(try await harness.claimPreparation().isEmpty)
        try await Self.expectNothing(of: photo.id, in: harness)
    }

    /// However far it came, nothing of it was sent anywhere.
    private static func erase(_ card: CardID, in harness: StoreHarness) async throws {
        let certificate = try await harness.erase(card)[0]
        #expect(certificate.verifier == .notSent && certificate.backend == .notSent)
    }

    private static func expectNothing(of card: CardID, in harness: StoreHarness) async throws {
        #expect(try await harness.state(card) == "erased requested")
        #expect(try await harness.value("SELECT count(*) FROM blob", as: Int.self) == 0)
        #expect(try await harness.value("SELECT count(*) FROM card_key", as: Int.self) == 0)
        #expect(try await harness.findings() == [])
    }

    @Test func `the backend holds a card that was delivered, and the certificate says so`() async throws {
        let harness = try await StoreHarness()
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .accepted)
        let certificate = try await harness.erase(card)[0]
        #expect(certificate.backend == .holds && certificate.verifier == .holds)
        #expect(certificate.deliveries == [job.outbound.idempotencyKey])
    }

    @Test func `who sends an erased photo once more sends a new card, which knows nothing of the old one`() async throws
    {
        let harness = try await StoreHarness()
        let photo = harness.photo("front", number: "N", file: try harness.file("front")) {
            $0.expectedName = Redacted("A")
        }
        let first = try await harness.admit(photo).card
        try await harness.erase(first)
        let again = harness.photo("front", number: "N", file: try harness.file("copy"))
        let outcome = try await harness.admit(again)
        #expect(outcome.card == again.id && outcome.state == .prepared && !outcome.isDuplicate)
        #expect(try await harness.card(again.id).metadata.expectedName == nil)
        #expect(try await harness.state(first) == "erased requested")
    }
}
