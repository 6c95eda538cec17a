import CardModel
import TestSupport
import Testing

@testable import CardStore

/// Cards that are erased before their end, and what comes of them later.
@Suite final class ErasedCardTests: StoreSuite {
    @Test func `a card that is erased while it is fetched leaves nothing, and takes nothing late`() async throws {
        let job = try await harness.fetching("photo")
        try await erase(job.card.id)
        await #expect(throws: CodedError.self) { try await harness.storeChunk("more", at: 5, of: job, byteCount: 9) }
        #expect(try await harness.conclude(job, .fetched)?.state == .erased)
        // Nor does its address bring it back.
        let again = try await harness.address()
        #expect(again.card == job.card.id && again.state == .erased)
        #expect(try await harness.claimFetching().jobs.isEmpty)
        try await expectNothing(of: job.card.id)
    }

    @Test func `a card that is erased while it is prepared leaves nothing, and gets no image later`() async throws {
        let photo = harness.received("photo")
        try await harness.admit(photo)
        let job = try #require(try await harness.claimPreparation().jobs.first)
        try await erase(photo.id)
        let image = StoreHarness.image("small")
        #expect(try await harness.conclude(job, .success(image)).state == .erased)
        #expect(try await harness.claimPreparation().jobs.isEmpty)
        try await expectNothing(of: photo.id)
    }

    /// However far it came, nothing of it was sent anywhere.
    private func erase(_ card: CardID) async throws {
        let certificate = try await harness.erase(card)[0]
        #expect(certificate.verifier == .notSent && certificate.backend == .notSent)
    }

    private func expectNothing(of card: CardID) async throws {
        #expect(try await harness.state(card) == "erased requested")
        #expect(try await harness.value("SELECT count(*) FROM blob", as: Int.self) == 0)
        #expect(try await harness.value("SELECT count(*) FROM card_key", as: Int.self) == 0)
        #expect(try await harness.findings() == [])
    }

    @Test func `an erased card leaves its tombstone, and its delivery goes with the last card of it`() async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .accepted)
        try await harness.erase(front)
        #expect(try await harness.value("SELECT count(*) FROM delivery", as: Int.self) == 1)
        let certificate = try await harness.erase(back)[0]
        #expect(certificate.backend == .holds && certificate.verifier == .holds)
        #expect(certificate.deliveries == [job.outbound.idempotencyKey])
        // The last call that each endpoint took is nobody's.
        for table: SQL in ["delivery", "delivery_card", "attempt WHERE subject <> ''"] {
            #expect(try await harness.value("SELECT count(*) FROM \(table)", as: Int.self) == 0, "\(table)")
        }
        #expect(try await harness.store.listings.details(of: back, for: .process).steps.map(\.state) == [.erased])
        #expect(try await harness.findings() == [])
    }

    @Test func `a call that ends after its card was erased leaves neither delivery nor attempt of it`() async throws {
        let fetching = try await harness.fetching("photo", number: "F")
        try await harness.erase(fetching.card.id)
        try await harness.conclude(fetching, .failed(.specimen(.transient)))
        let (verifying, call) = try await harness.verifying("front", number: "V")
        try await harness.erase(verifying)
        try await harness.conclude(call, side: .front, number: nil)
        let (sending, delivery) = try await harness.delivering("front", number: "S")
        try await harness.erase(sending)
        try await harness.conclude(delivery, .failure(.rejected))
        let (front, back, joint) = try await harness.joint()
        try await harness.erase(front, back)
        try await harness.conclude(joint, .accepted)
        let left: SQL = """
            SELECT subject FROM attempt WHERE subject NOT IN (SELECT id FROM card WHERE state <> 'erased' UNION ALL SELECT '')
            """
        #expect(try await harness.store.read { try $0.values(left, as: String.self) } == [])
        for table: SQL in ["delivery", "delivery_card"] {
            #expect(try await harness.value("SELECT count(*) FROM \(table)", as: Int.self) == 0, "\(table)")
        }
        #expect(try await harness.value("SELECT count(front_delivered) FROM cases", as: Int.self) == 1)
        #expect(try await harness.findings() == [])
    }

    @Test func `what an erased card was in before does not hide that its last delivery was accepted`() async throws {
        let (front, first) = try await harness.delivering("front", number: "N")
        try await harness.conclude(first, .failure(.notSent), isOutdated: true)
        harness.pass(.seconds(1))
        let second = try #require(try await harness.begin().first)
        try await harness.erase(front)
        try await harness.conclude(second, .accepted)
        #expect(try await harness.value("SELECT was_delivered FROM card", as: Int.self) == 1)
        #expect(try await harness.value("SELECT front_delivered FROM cases", as: Int.self) != nil)
        #expect(try await harness.findings() == [])
    }

    @Test func `an answer after its worker was taken for dead and its card erased ends nothing`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.killWorker()
        try await harness.erase(card)
        try await harness.conclude(job, .accepted)
        #expect(try await harness.value("SELECT was_delivered FROM card", as: Int.self) == 1)
    }

    @Test func `an erased photo that is sent once more is a new card, which knows nothing of the old`() async throws {
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
