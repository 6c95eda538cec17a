import CardModel
import Foundation
import Testing

@testable import CardStore

/// A delivery of unknown outcome, after one of its cards has left it.
@Suite struct KeptDeliveryTests {
    @Test(arguments: ["delivered", "accepted", "rejected", "erased"])
    func `its bytes never go again, and the others go under a new key on a person's word`(_ way: String) async throws {
        let harness = try await StoreHarness()
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .failure(.unknown), onUnknown: .hold)
        switch way {
        case "delivered": try await harness.resolve(back, .delivered)
        case "accepted": try await harness.resolve(back, .accept)
        case "rejected": try await harness.resolve(back, .reject)
        default: try await harness.erase(back)
        }
        #expect(try await harness.state(front) == "held outcome_unknown")
        #expect(await code { try await harness.resolve(front, .resend) } == .cardConflict)
        await #expect(throws: CodedError.self) { try await harness.retry(front) }
        #expect(try await harness.claimDeliveries().isEmpty)
        #expect(try await harness.begin(StoreHarness.together).isEmpty)
        try await harness.resolve(front, .accept)
        let again = try #require(try await harness.begin(StoreHarness.together).first)
        #expect(again.members == (way == "accepted" ? [front, back] : [front]))
        #expect(again.outbound.idempotencyKey != job.outbound.idempotencyKey)
        #expect(try await harness.claimDeliveries().isEmpty)
        #expect(try await harness.findings() == [])
    }
}
