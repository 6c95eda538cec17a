import CardModel
import Foundation
import Testing

@testable import CardStore

/// What a process learns of a delivery that another has taken over since.
@Suite final class LateReplyTests: StoreSuite {
    @Test func `after a crash the same bytes go under the same key, whatever the configuration says`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.reopen()
        try await harness.killWorker()
        let again = try #require(try await harness.claimDeliveries().first)
        #expect(again.outbound.idempotencyKey == job.outbound.idempotencyKey)
        #expect(again.outbound.boundary == job.outbound.boundary)
        #expect(again.outbound.parts == job.outbound.parts && again.outbound.images == job.outbound.images)
        #expect(again.attempt != job.attempt)
        #expect(try await harness.state(card) == "delivering")
    }

    /// A delivery that another process has taken over.
    private func takenOver() async throws -> (CardID, late: DeliveryJob, again: DeliveryJob) {
        let (card, late) = try await harness.delivering("front", number: "N")
        try await harness.killWorker()
        return (card, late, try #require(try await harness.claimDeliveries().first))
    }

    @Test(arguments: [true, false])
    func `a late acceptance settles what is unknown, also on a person's list`(isFirst: Bool) async throws {
        let (card, late, again) = try await takenOver()
        if isFirst { try await harness.conclude(late, .accepted) }
        try await harness.conclude(again, .failure(.rejected))
        #expect(try await harness.state(card) == (isFirst ? "delivered" : "held outcome_unknown"))
        if !isFirst { try await harness.conclude(late, .accepted) }
        #expect(try await harness.state(card) == "delivered")
        #expect(try await harness.value("SELECT state FROM delivery", as: String.self) == "delivered")
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: [
        DeliveryOutcome.failure(.rejected), .failure(.unknown), .failure(.notSent), .failure(.transient), .tokenExpired,
    ])
    func `a late failure takes nothing from whoever sends the delivery now`(_ outcome: DeliveryOutcome) async throws {
        let (card, late, again) = try await takenOver()
        try await harness.conclude(late, outcome)
        #expect(try await harness.state(card) == "delivering")
        #expect(try await harness.claimDeliveries().isEmpty)
        try await harness.conclude(again, .accepted)
        #expect(try await harness.state(card) == "delivered")
    }

    @Test func `a late acceptance changes nothing that a person decided since`() async throws {
        let (card, late, again) = try await takenOver()
        try await harness.conclude(again, .failure(.rejected))
        try await harness.resolve(card, .reject)
        try await harness.conclude(late, .accepted)
        #expect(try await harness.state(card) == "rejected rejected_by_operator")
    }
}
