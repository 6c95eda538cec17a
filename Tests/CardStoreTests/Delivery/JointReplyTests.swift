import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

@Suite final class JointReplyTests: StoreSuite {
    private static let taken = DeliveryItemOutcome.accepted(alreadyExisted: false, code: "0")

    private static func notNow(_ failureClass: FailureClass) -> DeliveryItemOutcome {
        .notApplied(.specimen(failureClass))
    }

    /// The backend takes another card.
    private func pass(_ name: String) async throws {
        harness.pass(.milliseconds(1))
        let (_, job) = try await harness.delivering(name, number: name)
        try await harness.conclude(job, .accepted)
    }

    @Test(arguments: [FailureClass.transient, .stop])
    func `a member that is sent away for now waits its backoff, which grows`(failureClass: FailureClass) async throws {
        let (_, back, job) = try await harness.joint()
        try await harness.conclude(job, .items([Self.taken, Self.notNow(failureClass)]))
        for tries in 1...3 {
            #expect(try await harness.begin(StoreHarness.together).isEmpty)
            harness.pass(.seconds(1))
            let again = try #require(try await harness.begin(StoreHarness.together).first)
            #expect(again.members == [back] && again.tries == tries)
            try await harness.conclude(again, .items([Self.notNow(failureClass)]))
        }
    }

    @Test(arguments: [(FailureClass.transient, "failed attempts_exhausted"), (.stop, "verified")])
    func `a member sent away again and again ends once others are taken, unless it is for the TOKEN`(
        failureClass: FailureClass,
        end: String
    ) async throws {
        let (_, back, job) = try await harness.joint()
        try await harness.conclude(job, .items([Self.taken, Self.notNow(failureClass)]), maxAttempts: 1)
        // The reply that took its front is older than what follows: an outage.
        for _ in 0..<5 {
            harness.pass(.seconds(1))
            let again = try #require(try await harness.begin(StoreHarness.together).first)
            try await harness.conclude(again, .items([Self.notNow(failureClass)]), maxAttempts: 1)
            #expect(try await harness.state(back) == "verified")
        }
        try await pass("other")
        harness.pass(.seconds(1))
        let again = try #require(try await harness.begin(StoreHarness.together).first)
        try await harness.conclude(again, .items([Self.notNow(failureClass)]), maxAttempts: 1)
        #expect(try await harness.state(back) == end)
        #expect(try await harness.findings() == [])
    }

    @Test func `a joint reply that takes no card is no sign that the backend works`() async throws {
        let card = try await harness.sent("single", number: "M", .failure(.transient), maxAttempts: 1)
        harness.pass(.seconds(1))
        let (_, _, joint) = try await harness.joint()
        try await harness.conclude(joint, .items([Self.notNow(.transient), Self.notNow(.transient)]))
        let again = try #require(try await harness.claimDeliveries().first)
        try await harness.conclude(again, .failure(.transient), maxAttempts: 1)
        #expect(try await harness.state(card) == "delivering")
        let classes = try await harness.store.database.read { tx in
            try tx.rows("SELECT class FROM attempt WHERE subject = \(joint.id)") { try $0.next(String.self) }
        }
        #expect(classes == ["transient"])
    }

    @Test func `when attempts of several members are used up, each goes alone once`() async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .failure(.transient), maxAttempts: 1)
        try await pass("other")
        let second = try await harness.repeated()
        try await harness.conclude(second, .failure(.transient), maxAttempts: 1)
        #expect(try await harness.state(front) == "verified")
        #expect(try await harness.card(back).state == .verified)
        #expect(try await harness.begin(StoreHarness.together).isEmpty)
        harness.pass(.seconds(1))
        let jobs = try await harness.begin(StoreHarness.together)
        let alone = try #require(jobs.first)
        #expect(jobs.map(\.members) == [[front]])
        // An outage does not end it either.
        try await harness.conclude(alone, .failure(.transient), maxAttempts: 1)
        #expect(try await harness.state(front) == "delivering")
        try await pass("another")
        let last = try await harness.repeated()
        try await harness.conclude(last, .failure(.transient), maxAttempts: 1)
        #expect(try await harness.state(front) == "failed attempts_exhausted")
        #expect(try await harness.card(back).state == .verified)
        #expect(try await harness.findings() == [])
    }

    @Test func `a member of unknown outcome goes only on a person's word, under a new key`() async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .items([Self.taken, .unknown(.specimen(.unknown))]))
        #expect(try await harness.state(front) == "delivered")
        await #expect(throws: CodedError.self) { try await harness.resolve(back, .resend) }
        #expect(try await harness.claimDeliveries().isEmpty)
        try await harness.resolve(back, .anew)
        let again = try #require(try await harness.begin(StoreHarness.together).first)
        #expect(again.members == [back])
        #expect(again.outbound.idempotencyKey != job.outbound.idempotencyKey)
        #expect(try await harness.findings() == [])
    }
}

/// A delivery of unknown outcome, after one of its cards has left it.
@Suite final class KeptDeliveryTests: StoreSuite {
    /// By a person's word, or erased.
    @Test(arguments: [Resolution.delivered, .anew, .reject, nil])
    func `its bytes never go again, the others go under a new key on a person's word`(way: Resolution?) async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .failure(.unknown), onUnknown: .hold)
        if let way { try await harness.resolve(back, way) } else { try await harness.erase(back) }
        #expect(try await harness.state(front) == "held outcome_unknown")
        #expect(await code { try await harness.resolve(front, .resend) } == .cardConflict)
        await #expect(throws: CodedError.self) { try await harness.retry(front) }
        #expect(try await harness.claimDeliveries().isEmpty)
        #expect(try await harness.begin(StoreHarness.together).isEmpty)
        if way == .reject {
            // The only back was rejected, which ended the case.
            await #expect(throws: CodedError.self) { try await harness.resolve(front, .anew) }
            return
        }
        try await harness.resolve(front, .anew)
        let again = try #require(try await harness.begin(StoreHarness.together).first)
        #expect(again.members == (way == .anew ? [front, back] : [front]))
        #expect(again.outbound.idempotencyKey != job.outbound.idempotencyKey)
        #expect(try await harness.claimDeliveries().isEmpty)
        #expect(try await harness.findings() == [])
    }
}

extension StoreHarness {
    /// A front and a back in one delivery.
    func joint(number: String = "N") async throws -> (CardID, CardID, DeliveryJob) {
        let front = try await self.verified("front", number: number, .front)
        let back = try await self.verified("back", number: number, .back)
        let job = try #require(try await self.begin(Self.together).first { $0.members == [front, back] })
        return (front, back, job)
    }
}
