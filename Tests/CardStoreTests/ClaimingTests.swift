import CardModel
import Foundation
import Testing

@testable import CardStore

/// What cannot be opened once it is claimed stops nothing else.
@Suite struct ClaimingTests {
    @Test func `a delivery that ends between its claim and its opening is left out, the others go`() async throws {
        let harness = try await StoreHarness()
        var jobs: [DeliveryJob] = []
        for number in ["N", "M"] {
            let (_, job) = try await harness.delivering("front \(number)", number: number)
            try await harness.conclude(job, .failure(.unknown))
            jobs.append(job)
        }
        harness.pass(.seconds(60))
        // As `cards erase` of a member does.
        try await harness.plant(
            """
            CREATE TRIGGER erased AFTER INSERT ON attempt WHEN new.subject = '\(jobs[0].id)' BEGIN
            UPDATE delivery SET state = 'closed', parts = NULL, worker = NULL WHERE id = new.subject; END
            """
        )
        #expect(try await harness.claimDeliveries().map(\.id) == [jobs[1].id])
        #expect(try await harness.state(jobs[0].members[0]) == "delivering", "that is the matter of whoever erased")
    }

    @Test func `a card whose key nobody has ends, and the others are verified`() async throws {
        let harness = try await StoreHarness()
        let damaged = try await harness.admit("front", number: "N").card
        let sound = try await harness.admit("front", number: "M").card
        try await harness.plant("UPDATE card_key SET key_id = 'nobody' WHERE card = '\(damaged)'")
        #expect(try await harness.claim().map(\.card.id) == [sound])
        #expect(try await harness.state(damaged) == "failed stored_image_unreadable")
        #expect(try await harness.claim().isEmpty)
    }

    @Test func `a received card whose key nobody has ends, and the others are prepared`() async throws {
        let harness = try await StoreHarness()
        let cards = try await harness.store.admit(
            ["N", "M"].map { number in
                var photo = harness.photo("front", number: number)
                photo.content = .received(Data("front".utf8))
                return photo
            },
            now: harness.now
        ).map(\.card)
        let (damaged, sound) = (cards[0], cards[1])
        try await harness.plant("UPDATE card_key SET key_id = 'nobody' WHERE card = '\(damaged)'")
        #expect(try await harness.claimPreparation().map(\.card.id) == [sound])
        #expect(try await harness.state(damaged).hasPrefix("failed"))
    }
}
