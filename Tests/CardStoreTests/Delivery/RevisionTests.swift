import CardModel
import TestSupport
import Testing

@testable import CardStore

/// A proposal holds as long as the revision of its case: it rises with what the rules see, and with nothing that others may do at
/// will.
@Suite final class RevisionTests: StoreSuite {
    private static let number = BusinessNumber(stored: "N")
    private let person = ReviewingTests.li

    private func revision() async throws -> Int64 {
        try #require(try await harness.value("SELECT revision FROM cases WHERE number = 'N'"))
    }

    private func rises(_ change: () async throws -> Void) async throws -> Bool {
        let before = try await self.revision()
        try await change()
        return try await self.revision() > before
    }

    @Test func `each step of a card raises it`() async throws {
        try await harness.admit("front", number: "N")
        var jobs: [VerificationJob] = []
        #expect(try await !self.rises { jobs = try await harness.claim() })
        #expect(try await self.rises { try await harness.conclude(jobs[0], side: .front, number: nil) })
        #expect(try await self.rises { try await harness.admit("another", number: "N") })
        try await harness.verify([:])
        var job: DeliveryJob?
        #expect(try await self.rises { job = try await harness.begin().first })
        let sent = try #require(job)
        #expect(try await self.rises { try await harness.conclude(sent, .accepted) })
        #expect(try await self.rises { try await harness.erase(sent.members[0]) })
    }

    @Test func `what its sender says anew raises it`() async throws {
        _ = try await harness.verified("front", number: "N", .front)
        #expect(
            try await self.rises { try await harness.admit("front", number: "N") { $0.userNumber = Redacted("U") } }
        )
        #expect(
            try await !self.rises { try await harness.admit("front", number: "N") { $0.userNumber = Redacted("U") } }
        )
    }

    @Test func `a person's decision raises it, and taking it back`() async throws {
        let card = try await harness.judged("front", .held(VerdictRule.legalityUnavailable.reason, message: "look"))
        #expect(try await self.rises { try await harness.decideOnPage(card, .accept, by: person) })
        #expect(
            try await self.rises {
                _ = try await harness.store.decisions.undo(card, tab: "a", by: person, now: harness.now)
            }
        )
        #expect(try await self.rises { try await harness.resolve(card, .accept) })
    }

    @Test func `two persons under a number raise it, and the rejection of one`() async throws {
        _ = try await harness.verified("one", number: "N", .front)
        try await harness.admit("two", number: "N")
        let job = try #require(try await harness.claim().first)
        #expect(try await self.rises { try await harness.conclude(job, side: .front, number: "110105194912310038") })
        _ = try await harness.begin()
        #expect(try await self.rises { try await harness.resolve(job.card.id, .reject) })
    }

    @Test func `another submitter's photo raises it only when a person lets it in`() async throws {
        _ = try await harness.verified("front", number: "N", .front)
        var others: [CardID] = []
        for name in ["a", "b", "c"] {
            #expect(
                try await !self.rises {
                    others.append(try await harness.admit(name, number: "N", submitter: "other").card)
                }
            )
        }
        #expect(try await !self.rises { try await harness.resolve(others[0], .reject) })
        #expect(try await !self.rises { try await harness.erase(others[1]) })
        #expect(try await self.rises { try await harness.resolve(others[2], .accept) })
    }

    @Test func `what another submitter says anew of its photo that waits does not raise it`() async throws {
        _ = try await harness.verified("front", number: "N", .front)
        try await harness.admit("theirs", number: "N", submitter: "other")
        #expect(
            try await !self.rises {
                try await harness.admit("theirs", number: "N", submitter: "other") { $0.userNumber = Redacted("U") }
            }
        )
    }

    @Test func `the rejection of a refused front that named another person raises it`() async throws {
        try await harness.admit("one", number: "N")
        let refused = try #require(try await harness.claim().first)
        let reading = CardReading(side: .front, fields: CardFields(name: "ONE", number: "110105194912310038"))
        let verdict = Verdict.rejected(VerdictRule.underAge.reason, message: "too young")
        try await harness.conclude(refused, reading, verdict)
        _ = try await harness.verified("two", number: "N", .front)
        #expect(try await harness.value("SELECT disputed FROM cases WHERE number = 'N'", as: Int.self) == 1)
        #expect(try await self.rises { try await harness.resolve(refused.card.id, .reject) })
        #expect(try await harness.value("SELECT disputed FROM cases WHERE number = 'N'", as: Int.self) == 0)
    }

    @Test func `a photo that waits for a user account waits on when only its priority is raised`() async throws {
        let card = try await harness.verified("front", number: "N", .front)
        var terms = StoreHarness.terms
        terms.hasDefaultUserNumber = false
        _ = try await harness.begin(terms)
        try await harness.admit("front", number: "N", priority: 7)
        #expect(try await harness.proposals() == [])
        #expect(try await harness.value("SELECT reason FROM card", as: String.self) == "user_no_missing")
        try await harness.store.deliveries.reconsider(under: StoreHarness.terms, now: harness.now)
        #expect(try await harness.proposals() == [[card]])
        #expect(try await harness.findings() == [])
    }

    @Test func `a priority, a claim of a reviewer and time do not raise it`() async throws {
        _ = try await harness.judged("front", .held(VerdictRule.legalityUnavailable.reason, message: "look"))
        #expect(try await !self.rises { try await harness.admit("front", number: "N", priority: 7) })
        #expect(
            try await !self.rises {
                _ = try await harness.store.decisions.claimNext(tab: "a", by: person, now: harness.now)
            }
        )
        #expect(
            try await !self.rises {
                harness.pass(.seconds(86_400))
                try await harness.store.upkeep.heartbeat(of: harness.worker, now: harness.now)
            }
        )
    }
}
