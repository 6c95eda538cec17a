import CardModel
import TestSupport
import Testing

@testable import CardStore

/// What a card waits for, and when the wait is over.
@Suite final class WaitingTests: StoreSuite {
    @Test func `a number whose card waits is looked at again when a card of it changes, and not before`() async throws {
        let back = try await harness.verified("back", number: "N", .back)
        _ = try await harness.begin()
        #expect(try await harness.state(back) == "verified front_missing")
        #expect(try await harness.store.deliveries.nextDecision(now: harness.now) == nil)
        _ = try await harness.verified("other", number: "M", .front)
        try await harness.deliverAll()
        #expect(try await harness.store.deliveries.nextDecision(now: harness.now) == nil)
        let front = try await harness.admit("front", number: "N").card
        #expect(try #require(try await harness.store.deliveries.nextDecision(now: harness.now)) <= harness.now)
        _ = try await harness.begin()
        #expect(try await harness.state(back) == "verified waits_for_verification")
        #expect(try await harness.store.deliveries.nextDecision(now: harness.now) == nil)
        try await harness.verify([front: (.front, nil)])
        #expect(try await harness.proposals() == [[front]])
    }

    @Test(arguments: ["rejected", "rejected by a person", "refused", "failed", "erased", "a duplicate"])
    func `the others of a number go once the last card that was still to be verified is`(_ end: String) async throws {
        let front = try await harness.verified("front", number: "N", .front)
        let isReceived = end == "refused" || end == "failed"
        let late = isReceived ? harness.received("late") : harness.photo("late", number: "N")
        let job = end == "a duplicate" ? try await harness.fetching("front") : nil
        if job == nil { try await harness.admit(late) }
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(front) == "verified waits_for_verification")
        #expect(try await harness.store.deliveries.nextDecision(now: harness.now) == nil)
        switch end {
        case "rejected":
            try await harness.fail(#require(try await harness.claim().first), .rejected)
        case "rejected by a person":
            try await harness.plant("UPDATE card SET failures = 1 WHERE id = '\(late.id)'")
            try await harness.resolve(late.id, .reject)
        case "refused": try await harness.refusePreparation()
        case "failed":
            let preparation = try #require(try await harness.claimPreparation().jobs.first)
            let error = CodedError(ReasonCode(rawValue: "image_memory"), .temporary, "there is no memory")
            try await harness.plant("UPDATE card SET failures = 4 WHERE id = '\(late.id)'")
            try await harness.conclude(preparation, .failure(error))
        case "erased": try await harness.erase(late.id)
        default: try await harness.conclude(#require(job), .fetched)
        }
        #expect(try await harness.proposals() == [[front]])
        #expect(try await harness.findings() == [])
    }

    @Test func `a back that a rule held needs a second word to go without its front`() async throws {
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let back = try await harness.judged("back", side: .back, verdict)
        try await harness.resolve(back, .accept)
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(back) == "verified front_missing")
        try await harness.resolve(back, .accept)
        #expect(try await harness.proposals() == [[back]])
    }

    @Test(arguments: ["by the backend", "by a person's word", "and erased"])
    func `a back whose front was delivered does not expire as one that waits for it`(_ way: String) async throws {
        let back = try await harness.verified("back", number: "N", .back)
        let (front, job) = try await harness.delivering("front", number: "N")
        #expect(try await harness.state(back) == "verified waits_for_front")
        harness.pass(.seconds(2 * 86_400))
        switch way {
        case "by the backend": try await harness.conclude(job, .accepted)
        case "by a person's word":
            try await harness.conclude(job, .failure(.unknown), onUnknown: .hold)
            try await harness.resolve(front, .delivered)
        default:
            try await harness.erase(front)
            try await harness.conclude(job, .accepted)
        }
        #expect(try await harness.expired() == [])
        #expect(try await harness.state(back) == "verified")
        #expect(try await harness.proposals() == [[back]])
        #expect(try await harness.findings() == [])
    }

    @Test func `a card whose user account was named does not expire as one that waits for it`() async throws {
        var terms = StoreHarness.terms
        terms.hasDefaultUserNumber = false
        let card = try await harness.verified("front", number: "N", .front)
        _ = try await harness.begin(terms)
        #expect(try await harness.state(card) == "verified user_no_missing")
        harness.pass(.seconds(2 * 86_400))
        try await harness.admit("front", number: "N") { $0.userNumber = Redacted("U") }
        #expect(try await harness.expired() == [])
        #expect(try await harness.proposals(terms) == [[card]])
        #expect(try await harness.findings() == [])
    }
}

extension StoreHarness {
    /// Erases what has waited for a person or a front for a day.
    fileprivate func expired() async throws -> [CardID] {
        var terms = RetentionTerms()
        terms.held = .seconds(86_400)
        return try await self.eraseExpired(terms)
    }
}
