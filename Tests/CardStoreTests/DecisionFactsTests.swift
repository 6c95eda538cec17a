import CardModel
import TestSupport
import Testing

@testable import CardStore

/// What a person is shown of a card to decide about it, and what the decision frees.
@Suite final class DecisionFactsTests: StoreSuite {
    private static let other = "110105194912310038"
    private static let third = "440524188001010014"

    /// Two fronts of two persons and a back, all held.
    private func disputed() async throws -> (one: CardID, two: CardID, back: CardID) {
        let one = try await harness.verified("one", number: "N", .front)
        let two = try await harness.verified("two", number: "N", .front, holder: Self.other)
        let back = try await harness.verified("back", number: "N", .back)
        #expect(try await harness.begin().isEmpty)
        for card in [one, two, back] { #expect(try await harness.state(card) == "held holder_conflict") }
        return (one, two, back)
    }

    private func document(_ card: CardID, _ caller: Caller = .process) async throws -> CardDetails {
        try await harness.store.listings.details(of: card, for: caller)
    }

    // MARK: Rejecting the wrong front

    @Test(arguments: [true, false])
    func `rejecting the wrong one of two fronts lets the other front and the back go`(isFirst: Bool) async throws {
        let (one, two, back) = try await self.disputed()
        let (wrong, right) = isFirst ? (one, two) : (two, one)
        let changed = try await harness.store.decisions.resolve(
            wrong,
            as: .reject,
            by: StoreHarness.person,
            now: harness.now
        )
        .changes
        #expect(changed.map(\.card) == [wrong, right, back])
        #expect(changed.map(\.state) == [.rejected, .verified, .verified])
        #expect(try await harness.findings() == [])
        try await harness.deliverAll()
        #expect(try await harness.state(right) == "delivered")
        #expect(try await harness.state(back) == "delivered")
        #expect(try await harness.state(wrong) == "rejected rejected_by_operator")
        // What comes later is measured by the person that is left.
        let again = try await harness.verified("again", number: "N", .front, holder: isFirst ? nil : Self.other)
        _ = try await harness.begin()
        #expect(try await harness.state(again) == (isFirst ? "delivering" : "held holder_conflict"))
    }

    @Test func `rejecting the wrong front frees no card about which a person has decided by then`() async throws {
        let (one, two, back) = try await self.disputed()
        let person = try AccessOrigin(.process, actor: "li.na", purpose: "T-1")
        for (card, action) in [(two, DecisionAction.reject), (back, .retake)] {
            let outcome = try await harness.decideOnPage(card, action, by: person)
            #expect(outcome == .undoable(until: harness.now.advanced(by: .seconds(10))))
            harness.pass(.seconds(5))
        }
        for _ in 0..<2 {
            harness.pass(.seconds(5))
            _ = try await harness.carryOut()
        }
        #expect(try await harness.state(two) == "rejected rejected_by_operator")
        #expect(try await harness.state(back) == "rejected retake_blurred")
        #expect(try await harness.state(one) == "verified")
    }

    private func front(_ bytes: String, _ number: String, _ verdict: Verdict = .accepted) async throws -> CardID {
        let (card, job) = try await harness.verifying(bytes, number: "N")
        let fields = CardFields(name: "SPECIMEN", number: number)
        try await harness.conclude(job, CardReading(side: .front, fields: fields), verdict)
        return card
    }

    @Test(arguments: [VerdictRule.holderNumberMismatch, .holderNameMismatch])
    func `a front of another person than the expected one disputes no number`(rule: VerdictRule) async throws {
        let wrong = try await self.front("wrong", Self.third, .rejected(rule.reason, message: "another person"))
        let right = try await self.front("right", "11010519491231002X")
        try await harness.deliverAll()
        #expect(try await harness.state(wrong) == "rejected \(rule.rawValue)")
        #expect(try await harness.state(right) == "delivered")
    }

    @Test func `a front that is judged again as another person's names nobody any more`() async throws {
        let wrong = try await self.front("wrong", Self.third)
        _ = try await harness.admit("wrong", number: "N") { $0.expectedIDNumber = Redacted("11010519491231002X") }
        let again = try #require(try await harness.claim().first)
        let fields = CardFields(name: "SPECIMEN", number: Self.third)
        let mismatch = VerdictRule.holderNumberMismatch.reason
        let verdict = Verdict.rejected(mismatch, message: "another person")
        try await harness.conclude(again, CardReading(side: .front, fields: fields), verdict)
        #expect(try await harness.state(wrong) == "rejected holder_number_mismatch")
        let right = try await self.front("right", "11010519491231002X")
        try await harness.deliverAll()
        #expect(try await harness.state(right) == "delivered")
    }

    @Test(arguments: [Resolution.reject, .holder])
    func `a front that a rule rejected names nobody once a person says so`(resolution: Resolution) async throws {
        let low = VerdictRule.legalityLow.reason
        let wrong = try await self.front("wrong", Self.third, .rejected(low, message: "a copy"))
        let right = try await self.front("right", "11010519491231002X")
        try await harness.decide()
        #expect(try await harness.state(right) == "held holder_conflict")
        let message = try await harness.card(right).message?.text() ?? ""
        #expect(message.contains("idcard-pipeline cards resolve ID --as holder"))
        try await harness.resolve(resolution == .holder ? right : wrong, resolution)
        #expect(try await harness.state(wrong) == "rejected legality_low")
        try await harness.deliverAll()
        #expect(try await harness.state(right) == "delivered")
        #expect(try await harness.findings() == [])
    }

    @Test func `a third person keeps the dispute until only one is left`() async throws {
        let (one, two, back) = try await self.disputed()
        let third = try await harness.verified("third", number: "N", .front, holder: Self.third)
        _ = try await harness.begin()
        try await harness.resolve(one, .reject)
        for card in [two, back, third] { #expect(try await harness.state(card) == "held holder_conflict") }
        try await harness.resolve(third, .reject)
        for card in [two, back] { #expect(try await harness.state(card) == "verified") }
    }

    @Test func `a person whose front was delivered and erased stays the person of the number`() async throws {
        try await harness.erase(try await harness.sent("delivered", number: "N", .accepted))
        let same = try await harness.verified("same", number: "N", .front)
        let other = try await harness.verified("other", number: "N", .front, holder: Self.other)
        _ = try await harness.begin()
        try await harness.resolve(same, .reject)
        #expect(try await harness.state(other) == "held holder_conflict")
        try await harness.resolve(other, .reject)
        #expect(try await harness.findings() == [])
        let right = try await harness.verified("right", number: "N", .front)
        #expect(try await harness.proposals() == [[right]])
    }

    @Test func `the last front of a dispute can be rejected after the other one was erased`() async throws {
        let (one, two, _) = try await self.disputed()
        try await harness.erase(two)
        try await harness.resolve(one, .reject)
        #expect(try await harness.findings() == [])
    }

    @Test func `a front that a person rejected frees none while nobody knows whom the backend has`() async throws {
        let (one, two, back) = try await self.disputed()
        // Accepted, delivered and erased: the backend has the person of the second front.
        try await harness.plant(
            "UPDATE cases SET front_delivered = (SELECT intake_order FROM card WHERE id = '\(two)')"
        )
        try await harness.erase(two)
        let third = try await harness.verified("third", number: "N", .front)
        _ = try await harness.begin()
        #expect(try await harness.state(third) == "held holder_conflict")
        try await harness.resolve(one, .reject)
        #expect(try await harness.state(third) == "held holder_conflict")
        #expect(try await harness.state(back) == "held holder_conflict")
    }

    @Test func `a front that a person rejected disputes no later one`() async throws {
        let (wrong, job) = try await harness.verifying("front", number: "N")
        let reading = CardReading(side: .front, fields: CardFields(number: "11010519491231002X"))
        try await harness.conclude(job, reading, .held(VerdictRule.legalityUnavailable.reason, message: "look"))
        try await harness.resolve(wrong, .retake)
        let right = try await harness.verified("right", number: "N", .front, holder: Self.other)
        #expect(try await harness.proposals() == [[right]])
    }

    // MARK: Showing

    @Test func `a held card shows the other cards, their senders, persons and what was compared`() async throws {
        let (one, two, back) = try await self.disputed()
        let shown = try await self.document(two)
        #expect(shown.caseCards.map(\.card.id) == [one, back])
        #expect(shown.caseCards.map(\.card.shownReason) == ["holder_conflict", "holder_conflict"])
        #expect(shown.caseCards.map(\.submitter) == ["local", "local"] && shown.submitter == "local")
        #expect(shown.person == 2 && shown.caseCards.map(\.person) == [1, nil])
        #expect(shown.comparedWith == [one])
        #expect(try await self.document(back).comparedWith == [one, two])
        #expect(shown.message?.text().contains("idcard-pipeline cards show \(two)") == true)
        #expect(shown.fields == nil && shown.submitted == nil)
    }

    @Test func `front and back that a rule compared name each other`() async throws {
        let rules = VerdictRules(severities: [.issuedBeforeBirth: .hold])
        let terms = DecidingTerms(policy: CasePolicy(), rules: rules)
        let front = try await harness.verified("front", number: "N", .front)
        let back = try await harness.admit("back", number: "N").card
        let fields = CardFields(issuer: "SPECIMEN", validity: "1940.01.01-1950.01.01")
        let job = try #require(try await harness.claim().first)
        try await harness.conclude(job, CardReading(side: .back, fields: fields))
        _ = try await harness.begin(terms)
        #expect(try await harness.state(front) == "held issued_before_birth")
        #expect(try await self.document(front).comparedWith == [back])
        #expect(try await self.document(back).comparedWith == [front])
    }

    @Test func `a card that is tried again shows when, its delivery key, and who decided`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failure(.unknown), onUnknown: .hold)
        let clerk = AccessOrigin(actor: "clerk:cards resolve --as resend", purpose: "ticket 7")
        try await harness.store.decisions.resolve(card, as: .resend, by: clerk, now: harness.now)
        try await harness.conclude(#require(try await harness.claimDeliveries().first), .failure(.unknown))
        let shown = try await self.document(card)
        #expect(shown.idempotencyKey == job.outbound.idempotencyKey)
        #expect(shown.nextAttemptAt == harness.now.advanced(by: .seconds(1)))
        let decision = try #require(shown.events.first { $0.kind == "decision" })
        #expect(decision.actor == clerk.actor && decision.why == "ticket 7" && decision.code == "resolve")
        #expect(decision.at == harness.now)
        // What a decision led to stands after it.
        let last = try #require(shown.events.lastIndex { $0.state == .delivering })
        #expect(try #require(shown.events.firstIndex { $0.kind == "decision" }) < last)
    }

    @Test func `who may see own cards only learns of no other card, sender or decision`() async throws {
        let first = try await harness.admit("front", number: "N", submitter: "owner").card
        harness.pass(.seconds(5))
        let foreign = try await harness.admit("other", number: "N", submitter: "stranger").card
        let stranger = Caller(subject: "stranger", scopes: [.read])
        #expect(try await self.document(foreign, stranger).message == nil)
        #expect(try await self.document(foreign).message?.text().contains("another submitter") == true)
        try await harness.resolve(foreign, .reject)
        let own = try await self.document(foreign, stranger)
        #expect(own.caseCards.isEmpty && own.numberOwner == nil && own.comparedWith.isEmpty)
        #expect(!own.events.contains { $0.kind == "decision" || $0.message != nil })
        let theirs = try await self.document(first, Caller(subject: "owner", scopes: [.read]))
        #expect(theirs.caseCards.isEmpty && theirs.submitter == "owner")
        let all = try await self.document(foreign, Caller(subject: "clerk", scopes: [.review]))
        #expect(all.caseCards.map(\.card.id) == [first] && all.submitter == "stranger")
        #expect(all.numberOwner?.submitter == "owner")
        #expect(all.numberOwner?.since == harness.now.advanced(by: .seconds(-5)))
        #expect(all.events.contains { $0.kind == "decision" && $0.actor == "test" })
    }

    @Test func `our own sentence is shown, its personal parts only where they are revealed`() async throws {
        let message = Message("test.specimen", "the score is \(0.3), the file \(Redacted("SPECIMEN.jpg"))")
        let card = try await harness.judged("front", .held(VerdictRule.legalityLow.reason, message: message))
        let masked = try await self.document(card)
        #expect(masked.message?.text() == "the score is 0.3, the file <redacted>")
        #expect(masked.steps.last?.message == masked.message)
        let revealed = try await harness.store.listings.reveal(card, to: StoreHarness.person, now: harness.now)
        #expect(revealed.message?.text() == "the score is 0.3, the file SPECIMEN.jpg")
        #expect(revealed.submitted?.inputName == "front.jpg" && revealed.submitted?.userNo == nil)
    }
}
