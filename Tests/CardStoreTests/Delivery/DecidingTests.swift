import CardModel
import TestSupport
import Testing

@testable import CardStore

@Suite final class DecidingTests: StoreSuite {
    private static let other = "110105194912310038"

    @Test(arguments: ["verified", "rejected", "erased"])
    func `fronts of two persons dispute the number for good, whatever became of the first`(first: String) async throws {
        let (one, job) = try await harness.verifying("one", number: "N")
        let reading = CardReading(side: .front, fields: CardFields(number: "11010519491231002X"))
        let refusal = Verdict.rejected(VerdictRule.legalityLow.reason, message: "no")
        try await harness.conclude(job, reading, first == "rejected" ? refusal : .accepted)
        if first == "erased" { try await harness.erase(one) }
        let two = try await harness.verified("two", number: "N", .front, holder: Self.other)
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(two) == "held holder_conflict")
        let later = try await harness.verified("back", number: "N", .back)
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(later) == "held holder_conflict")
        // A person's word is about that very card. Forming its delivery names what the dispute holds.
        try await harness.resolve(two, .accept)
        let last = try await harness.verified("another back", number: "N", .back)
        let delivery = try #require(try await harness.begin().first)
        #expect(delivery.members == [two])
        #expect(delivery.changes.map(\.card) == [last] && delivery.changes.map(\.reason) == [.holderConflict])
        #expect(try await harness.state(later) == "held holder_conflict")
        #expect(try await harness.findings() == [])
    }

    @Test func `a photo that waits for an older one goes once that has arrived`() async throws {
        let (_, job) = try await harness.delivering("older", number: "N")
        let newer = try await harness.verified("newer", number: "N", .front)
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(newer) == "verified waits_for_older_photo")
        try await harness.conclude(job, .accepted)
        #expect(try await harness.proposals() == [[newer]])
    }

    @Test func `of the photos that a number had delivered or replaced, the newest of each side are read`() async throws
    {
        for round in 0..<3 {
            for side in CardSide.allCases { _ = try await harness.verified("\(side) \(round)", number: "N", side) }
            try await harness.deliverAll()
        }
        for round in 0..<2 { _ = try await harness.verified("replaced \(round)", number: "N", .front) }
        try await harness.deliverAll()
        // What is read of any other row fails.
        try await harness.plant(
            """
            UPDATE card SET side = 'none' WHERE state IN ('delivered', 'superseded') AND intake_order NOT IN (
                SELECT front_delivered FROM cases UNION SELECT back_delivered FROM cases
                UNION SELECT max(intake_order) FROM card WHERE state = 'superseded'
            )
            """
        )
        let front = try await harness.verified("front", number: "N", .front)
        try await harness.deliverAll()
        #expect(try await harness.state(front) == "delivered")
        #expect(try await harness.value("SELECT state FROM cases", as: String.self) == "complete")
        #expect(try await harness.value("SELECT count(*) FROM card WHERE side = 'none'", as: Int.self) == 5)
    }

    @Test func `a back never goes before its front was delivered`() async throws {
        let back = try await harness.verified("back", number: "N", .back)
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(back) == "verified front_missing")
        let (_, job) = try await harness.delivering("front", number: "N")
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(back) == "verified waits_for_front")
        try await harness.conclude(job, .failure(.rejected))
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(back) == "verified waits_for_front", "the front is to be retaken")
        try await harness.resolve(job.members[0], .seen)
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(back) == "verified front_missing")
        _ = try await harness.verified("second", number: "N", .front)
        try await harness.deliverAll()
        #expect(try await harness.state(back) == "delivered")
    }

    @Test func `a back goes alone where the backend takes it so, but not before its wait is over`() async throws {
        let terms = DecidingTerms(policy: CasePolicy(backWithoutFront: .send), rules: VerdictRules())
        let back = try await harness.verified("back", number: "N", .back, wait: .seconds(60))
        #expect(try await harness.begin(terms).isEmpty)
        #expect(
            try await harness.store.deliveries.nextDecision(now: harness.now) == harness.now.advanced(by: .seconds(60))
        )
        harness.pass(.seconds(60))
        #expect(try await harness.proposals(terms) == [[back]])
    }

    @Test(arguments: [
        (VerdictSeverity.reject, "rejected issued_before_birth"), (.hold, "held issued_before_birth"),
        (.warn, "verified"), (.off, "verified"),
    ])
    func `a rule between front and back decides over both as it is set, and a warning is noted once`(
        severity: VerdictSeverity,
        state: String
    ) async throws {
        let rules = VerdictRules(severities: [.issuedBeforeBirth: severity])
        let terms = DecidingTerms(policy: CasePolicy(), rules: rules)
        let front = try await harness.admit("front", number: "N").card
        let back = try await harness.admit("back", number: "N").card
        for job in try await harness.claim() {
            // Born in 1949.
            let reading =
                job.card.id == front
                ? CardReading(side: .front, fields: CardFields(number: "11010519491231002X"))
                : CardReading(side: .back, fields: CardFields(validity: "1940.01.01-1960.01.01"))
            try await harness.conclude(job, reading)
        }
        for _ in 0..<2 { try await harness.decide(terms) }
        #expect(try await harness.state(front) == state)
        #expect(try await harness.state(back) == (state == "verified" ? "verified waits_for_front" : state))
        #expect(try await harness.proposals(terms) == (state == "verified" ? [[front]] : []))
        let details = try await harness.store.listings.reveal(back, to: StoreHarness.person, now: harness.now)
        let noted = details.events.filter { $0.code == VerdictRule.issuedBeforeBirth.reason.rawValue }
        #expect(noted.count == (severity == .off ? 0 : 1))
        #expect(noted.allSatisfy { $0.message != nil })
    }

    @Test func `a proposal that is out of date forms nothing`() async throws {
        _ = try await harness.verified("front", number: "N", .front)
        let proposals = try await harness.proposed()
        try await harness.admit("late", number: "N")
        #expect(try await harness.begin(proposals).moved == [BusinessNumber(stored: "N")])
        #expect(try await harness.value("SELECT count(*) FROM delivery", as: Int.self) == 0)
        #expect(try await harness.value("SELECT count(*) FROM attempt WHERE stage = 'deliver'", as: Int.self) == 0)
    }

    @Test func `forming a delivery names the cards that it replaces or holds`() async throws {
        let older = try await harness.verified("older", number: "N", .front)
        let newer = try await harness.verified("newer", number: "N", .front)
        let job = try #require(try await harness.begin().first)
        #expect(job.members == [newer])
        #expect(job.changes == (try await harness.store.listings.status(of: [older])))
        #expect(job.changes.map(\.state) == [.superseded])
        let message = "card \(newer) is a newer photo of the same side and replaced this card; this card is not sent"
        #expect(try await harness.card(older).message?.text() == message)
    }

    @Test func `the highest priority is decided first`() async throws {
        for (index, priority) in [1, 9, 5].enumerated() {
            try await harness.admit("\(index)", number: "N\(index)", priority: priority)
        }
        try await harness.verify([:])
        let first = try await harness.store.deliveries.proposeDeliveries(
            limit: 2,
            excluding: [BusinessNumber(stored: "N1")],
            terms: StoreHarness.terms,
            now: harness.now
        )
        #expect(first.proposals.map(\.number.rawValue) == ["N2", "N0"])
    }
}
