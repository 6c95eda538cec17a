import CardModel
import Foundation
import Testing

@testable import CardStore

/// What a process learns of a delivery that another has taken over since.
@Suite final class LateReplyTests: StoreSuite {
    @Test func `after a crash the same bytes go under the same key, whatever the configuration says now`() async throws
    {
        let (card, job) = try await harness.delivering("front", number: "N")
        try harness.store.close()
        harness.store = try await harness.another()
        try await harness.killWorker()
        let again = try #require(try await harness.claimDeliveries().first)
        #expect(again.outbound.idempotencyKey == job.outbound.idempotencyKey)
        #expect(again.outbound.boundary == job.outbound.boundary)
        #expect(again.outbound.parts == job.outbound.parts)
        #expect(again.outbound.images == job.outbound.images)
        #expect(again.attempt != job.attempt)
        #expect(try await harness.state(card) == "delivering")
    }

    @Test func `a late acceptance settles what was unknown, also for a person's list`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.killWorker()
        let again = try #require(try await harness.claimDeliveries().first)
        try await harness.conclude(again, .failure(.rejected))
        #expect(try await harness.state(card) == "held outcome_unknown")
        try await harness.conclude(job, .accepted)
        #expect(try await harness.state(card) == "delivered")
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: [
        DeliveryOutcome.failure(.rejected), .failure(.unknown), .failure(.notSent), .failure(.transient), .tokenExpired,
    ])
    func `a late failure takes nothing from whoever sends the delivery now`(_ outcome: DeliveryOutcome) async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.killWorker()
        let again = try #require(try await harness.claimDeliveries().first)
        try await harness.conclude(job, outcome)
        #expect(try await harness.state(card) == "delivering")
        #expect(try await harness.claimDeliveries().isEmpty)
        try await harness.conclude(again, .accepted)
        #expect(try await harness.state(card) == "delivered")
    }

    @Test func `a failure after a late acceptance changes nothing`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.killWorker()
        let again = try #require(try await harness.claimDeliveries().first)
        try await harness.conclude(job, .accepted)
        try await harness.conclude(again, .failure(.rejected))
        #expect(try await harness.state(card) == "delivered")
        #expect(try await harness.value("SELECT state FROM delivery", as: String.self) == "delivered")
        #expect(try await harness.findings() == [])
    }

    @Test func `a late acceptance changes nothing that a person decided since`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.killWorker()
        let again = try #require(try await harness.claimDeliveries().first)
        try await harness.conclude(again, .failure(.rejected))
        try await harness.resolve(card, .reject)
        try await harness.conclude(job, .accepted)
        #expect(try await harness.state(card) == "rejected rejected_by_operator")
    }
}
