import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// What a reviewer returns or ends.
@Suite final class ReturningTests: StoreSuite {
    private static let other = "110105194912310038"

    private func back() async throws -> CardID { try await harness.verified("back", number: "N", .back) }

    private func heldFront(_ bytes: String = "front") async throws -> CardID {
        try await harness.judged(bytes, side: .front, .held(VerdictRule.legalityLow.reason, message: "look at it"))
    }

    private func caseState() async throws -> String? {
        try await harness.value(
            "SELECT state || ' ' || coalesce(cause, '-') FROM cases WHERE number = 'N'",
            as: String.self
        )
    }

    // MARK: Retake

    @Test(arguments: RetakeReason.ofPhoto)
    func `the back of a returned front waits, and goes with the new front`(reason: RetakeReason) async throws {
        let (front, back) = (try await heldFront(), try await back())
        try await harness.store.decisions.decide(
            front,
            .retake,
            because: reason,
            message: Redacted("words for colleagues"),
            by: StoreHarness.person,
            now: harness.now
        )
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(front) == "rejected \(reason.rawValue)")
        #expect(try await harness.state(back) == "verified waits_for_front")
        #expect(try await caseState() == "retake \(reason.rawValue)")
        #expect(try await harness.store.decisions.reviewQueue(now: harness.now).free == 0)
        // The same bytes again are known, and say why.
        let again = try await harness.admit("front", number: "N")
        #expect(again.isDuplicate && again.card == front && again.reason == reason.code)
        await #expect(throws: CodedError.self) { try await harness.retry(front) }
        let new = try await harness.verified("new", number: "N", .front)
        try await harness.deliverAll()
        #expect(try await harness.state(new) == "delivered")
        #expect(try await harness.state(back) == "delivered")
        #expect(try await caseState() == "complete -")
        #expect(try await harness.findings() == [])
    }

    @Test func `a photo is returned with a reason`() async throws {
        let front = try await heldFront()
        let error = await #expect(throws: CodedError.self) {
            try await harness.store.decisions.decide(front, .retake, by: StoreHarness.person, now: harness.now)
        }
        #expect(error?.code == .fieldInvalid)
    }

    @Test func `only a mismatch is amended by other metadata`() async throws {
        for reason in [RetakeReason.mismatch, .glare] {
            let front = try await heldFront(reason.rawValue)
            let decisions = harness.store.decisions
            try await decisions.decide(front, .retake, because: reason, by: StoreHarness.person, now: harness.now)
            _ = try await harness.admit(reason.rawValue, number: "N") { $0.expectedName = Redacted("SPECIMEN") }
            #expect(try await harness.state(front) == (reason == .mismatch ? "prepared" : "rejected retake_glare"))
        }
    }

    @Test func `a slip is taken back as long as no newer photo is there`() async throws {
        let (front, job) = try await harness.verifying("front", number: "N")
        let reading = CardReading(side: .front, fields: CardFields(number: Self.other))
        try await harness.conclude(job, reading, .held(VerdictRule.legalityLow.reason, message: "look at it"))
        let before = try await harness.card(front)
        try await harness.resolve(front, .retake)
        try await harness.resolve(front, .accept)
        #expect(try await harness.state(front) == "held legality_low")
        #expect(try await harness.card(front).message == before.message)
        let names: SQL = "SELECT count(*) FROM card JOIN cases USING (number, holder) WHERE id = \(front)"
        #expect(try await harness.value(names, as: Int.self) == 1, "it names the holder again")
        try await harness.resolve(front, .retake)
        _ = try await harness.admit("new", number: "N") { $0.side = .front }
        await #expect(throws: CodedError.self) { try await harness.resolve(front, .accept) }
        #expect(try await harness.findings() == [])
    }

    // MARK: Final

    @Test func `the only photo of its side ends the case`() async throws {
        let (front, back) = (try await heldFront(), try await back())
        let other = try await harness.admit("unread", number: "N") { $0.side = .back }.card
        try await harness.resolve(front, .reject)
        for card in [front, back, other] { #expect(try await harness.state(card) == "rejected rejected_by_operator") }
        #expect(try await caseState() == "rejected -")
        #expect(try await harness.claim().isEmpty)
        // A later photo waits for a person, before it costs anything.
        let late = try await harness.admit("late", number: "N").card
        #expect(try await harness.state(late) == "held case_rejected")
        #expect(try await caseState() == "decide case_rejected")
        #expect(try await harness.claim().isEmpty)
        // Its submitter does not let it in.
        _ = try await harness.admit("late", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        #expect(try await harness.state(late) == "held case_rejected")
        try await harness.resolve(late, .accept)
        #expect(try await harness.state(late) == "prepared")
        #expect(try await caseState() == "in_progress -")
        #expect(try await harness.findings() == [])
    }

    @Test func `no photo of before the end comes back`() async throws {
        let (older, newer) = (
            try await harness.verified("older", number: "N", .front),
            try await harness.verified("newer", number: "N", .front)
        )
        try await harness.decide()
        #expect(try await harness.state(older) == "superseded superseded")
        try await harness.plant("UPDATE card SET reason = 'taken_earlier' WHERE id = '\(older)'")
        let back = try await harness.judged("back", side: .back, .held(VerdictRule.legalityLow.reason, message: "look"))
        try await harness.resolve(back, .reject)
        #expect(try await harness.state(newer) == "rejected rejected_by_operator")
        await #expect(throws: CodedError.self) { try await harness.retry(older) }
        _ = try await harness.admit("older", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        #expect(try await harness.state(older) == "superseded taken_earlier")
        #expect(try await harness.begin().isEmpty)
    }

    @Test func `beside another photo of its side it ends alone`() async throws {
        let (front, back) = (try await heldFront(), try await back())
        let other = try await heldFront("other")
        try await harness.resolve(front, .reject)
        #expect(try await harness.state(other) == "held legality_low")
        #expect(try await harness.card(back).state == .verified)
        #expect(try await caseState() == "decide legality_low")
    }

    @Test func `what the backend may have is left to its answer, and then ends`() async throws {
        let (_, job) = try await harness.delivering("front", number: "N")
        let back = try await harness.judged("back", side: .back, .held(VerdictRule.legalityLow.reason, message: "look"))
        try await harness.resolve(back, .reject)
        #expect(try await harness.state(job.members[0]) == "delivering")
        #expect(try await caseState() == "in_progress -")
        try await harness.conclude(job, .failure(.transient))
        harness.pass(.seconds(60))
        // It is repeated with its own bytes; the outcome of what was begun is the backend's.
        let again = try await harness.repeated()
        try await harness.conclude(again, .failure(.rejected))
        #expect(try await harness.begin().isEmpty)
        #expect(try await caseState() == "rejected -")
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: [true, false])
    func `the end of a case moves no card of another number in the same form`(isAccepted: Bool) async throws {
        let numbers = ["N"] + (1...4).map { "M-\($0)" }
        var fronts: [CardID] = []
        for number in numbers { fronts.append(try await harness.verified("front", number: number, .front)) }
        let proposals = try await harness.proposed(StoreHarness.terms)
        let group = proposals.compactMap(\.groups.first).flatMap(\.self)
        let outbound = try await harness.outbound("key-1", [.text("SECRET-TOKEN", name: "TOKEN")], of: group)
        let beginning = try await harness.store.deliveries.begin(
            DeliveryID(rawValue: "delivery-1"),
            of: group,
            proposed: proposals,
            as: outbound,
            by: harness.worker,
            now: harness.now
        )
        guard case .begun(let job) = beginning else {
            Issue.record("nothing was formed")
            return
        }
        let back = try await harness.judged("back", side: .back, .held(VerdictRule.legalityLow.reason, message: "look"))
        try await harness.resolve(back, .reject)
        for front in fronts { #expect(try await harness.state(front) == "delivering") }
        try await harness.conclude(job, isAccepted ? .accepted : .failure(.rejected))
        if isAccepted {
            for front in fronts { #expect(try await harness.state(front) == "delivered") }
        } else {
            #expect(Set(try await harness.proposals()) == Set(fronts.dropFirst().map { [$0] }))
            try await harness.decide()
            #expect(try await harness.state(fronts[0]) == "rejected rejected_by_operator")
        }
        #expect(try await caseState() == "rejected -")
        #expect(try await harness.findings() == [])
    }

    @Test func `a rejection that would end more than the person saw is dropped and told`() async throws {
        let (front, other) = (try await heldFront(), try await heldFront("other"))
        let back = try await back()
        _ = try await harness.decideOnPage(front, .reject, message: "forged", by: ReviewingTests.li)
        try await harness.resolve(other, .retake)
        harness.pass(.seconds(10))
        _ = try await harness.carryOut()
        harness.pass(.seconds(10))
        _ = try await harness.carryOut()
        #expect(try await harness.state(front) == "held legality_low")
        #expect(try await harness.card(back).state == .verified)
        let caller = ReviewingTests.li.caller ?? .process
        #expect(try await harness.store.decisions.dropped(of: caller, now: harness.now).map(\.card) == [front])
    }

    // MARK: One card

    /// Front and back that the rule holds both, the back issued before the holder was born; a delivered front is not held.
    private func heldPair(sent: Bool = false) async throws -> (front: CardID, back: CardID) {
        let terms = DecidingTerms(policy: CasePolicy(), rules: VerdictRules(severities: [.issuedBeforeBirth: .hold]))
        let front = try await harness.verified("front", number: "N", .front)
        if sent { try await harness.deliverAll() }
        let back = try await harness.admit("back", number: "N").card
        let job = try #require(try await harness.claim().first)
        let fields = CardFields(issuer: "SPECIMEN", validity: "1940.01.01-1950.01.01")
        try await harness.conclude(job, CardReading(side: .back, fields: fields))
        try await harness.decide(terms)
        #expect(try await harness.state(front) == (sent ? "delivered" : "held issued_before_birth"))
        #expect(try await harness.state(back) == "held issued_before_birth")
        return (front, back)
    }

    @Test(arguments: [true, false])
    func `who says that it is one card passes both sides, with one undo`(isFront: Bool) async throws {
        let (front, back) = try await heldPair()
        let (one, other, li) = (isFront ? front : back, isFront ? back : front, ReviewingTests.li)
        try await harness.decideOnPage(one, .accept, by: li)
        let decisions = harness.store.decisions
        #expect(try await decisions.undo(one, tab: "a", by: li, now: harness.now))
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut() == [])
        for card in [front, back] { #expect(try await harness.state(card) == "held issued_before_birth") }
        try await harness.decideOnPage(one, .accept, by: li)
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut().map(\.card) == [one, other])
        let lines = try await harness.accessLog().filter { $0[0] == "resolve" }.map { [$0[1], $0[3]] }
        #expect(Set(lines) == Set([one, other].map { ["console:li.na as accept", $0.rawValue] }))
        try await harness.deliverAll()
        for card in [front, back] { #expect(try await harness.state(card) == "delivered") }
        #expect(try await harness.findings() == [])
    }

    @Test func `the other side is left to another decision about it`() async throws {
        let (front, back) = try await heldPair()
        try await harness.decideOnPage(back, .retake, by: ReviewingTests.wang)
        try await harness.resolve(front, .accept)
        #expect(try await harness.state(front) == "verified")
        #expect(try await harness.state(back) == "held issued_before_birth")
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut().map(\.card) == [back])
        #expect(try await harness.state(back) == "rejected retake_blurred")
    }

    @Test func `of a pair whose front was sent only the back is passed`() async throws {
        let (front, back) = try await heldPair(sent: true)
        try await harness.resolve(back, .accept)
        try await harness.deliverAll()
        for card in [front, back] { #expect(try await harness.state(card) == "delivered") }
    }

    @Test func `who may look has looked at both sides before they are passed`() async throws {
        let (front, back) = try await heldPair()
        let li = AccessOrigin(caller: Caller(subject: "li.na", scopes: [.review, .reveal]), "token:li.na", "T-1")
        let store = harness.store
        func accept() async throws {
            _ = try await store.decisions.decide(
                front,
                .accept,
                undoableIn: harness.worker.id,
                mayLook: true,
                by: li,
                now: harness.now
            )
        }
        for card in [front, back] {
            let error = await #expect(throws: CodedError.self) { try await accept() }
            #expect(error?.message.text().contains(card.rawValue) == true)
            _ = try await store.listings.reveal(card, to: li, now: harness.now)
        }
        try await accept()
    }

    // MARK: Two persons in a dispute

    @Test(arguments: ["held", "delivered", "rejected"])
    func `the customer's photos go once a person names the customer`(wrong state: String) async throws {
        let wrong = try await harness.verified("wrong", number: "N", .front, holder: Self.other)
        if state == "delivered" { try await harness.deliverAll() }
        let (right, back) = (try await harness.verified("right", number: "N", .front), try await back())
        _ = try await harness.begin()
        #expect(try await harness.state(right) == "held holder_conflict")
        if state == "rejected" {
            try await harness.plant("UPDATE card SET state = 'rejected', reason = 'legality_low' WHERE id = '\(wrong)'")
        }
        try await harness.resolve(right, .holder)
        try await harness.deliverAll()
        #expect(try await harness.state(right) == "delivered")
        #expect(try await harness.state(back) == "delivered")
        let words = [
            "held": "rejected rejected_by_operator", "delivered": "delivered", "rejected": "rejected legality_low",
        ]
        #expect(try await harness.state(wrong) == words[state])
        let later = try await harness.verified("later", number: "N", .front)
        #expect(try await harness.proposals() == [[later]])
    }

    @Test func `a wrong front that waits for another attempt is not sent once the customer is named`() async throws {
        let wrong = try await harness.verified("wrong", number: "N", .front, holder: Self.other)
        let job = try #require(try await harness.begin().first)
        let right = try await harness.verified("right", number: "N", .front)
        try await harness.conclude(job, .failure(.notSent))
        #expect(try await harness.state(wrong) == "delivering")
        try await harness.resolve(right, .holder)
        #expect(try await harness.state(wrong) == "rejected rejected_by_operator")
        try await harness.deliverAll()
        #expect(try await harness.state(right) == "delivered")
        #expect(try await harness.findings() == [])
    }

    @Test func `once a delivered front is no customer's, the fronts that are left may agree`() async throws {
        _ = try await harness.verified("wrong", number: "N", .front, holder: Self.other)
        try await harness.deliverAll()
        let right = try await harness.verified("right", number: "N", .front)
        _ = try await harness.begin()
        try await harness.resolve(right, .holder)
        let third = try await harness.verified("third", number: "N", .front, holder: "440524188001010014")
        _ = try await harness.begin()
        #expect(try await harness.state(third) == "held holder_conflict")
        try await harness.resolve(third, .retake)
        #expect(try await harness.proposals() == [[right]])
    }

    @Test func `a dispute that begins within the ten seconds needs a second person`() async throws {
        try await harness.reopen(fourEyes: [.accept])
        let front = try await heldFront()
        try await harness.plant(
            "UPDATE card SET holder = x'01' WHERE id = '\(front)'; UPDATE cases SET holder = x'01' WHERE number = 'N'"
        )
        _ = try await harness.decideOnPage(front, .reject, message: "forged", by: ReviewingTests.li)
        _ = try await harness.verified("two", number: "N", .front, holder: Self.other)
        _ = try await harness.begin()
        harness.pass(.seconds(10))
        _ = try await harness.carryOut()
        #expect(try await harness.state(front) == "held legality_low")
        #expect(try await harness.begin().isEmpty)
    }

    @Test func `another submitter's front does not stand for the refused one`() async throws {
        let (front, back) = (try await heldFront(), try await back())
        try await harness.admit("foreign", number: "N", submitter: "stranger") { $0.side = .front }
        try await harness.resolve(front, .retake)
        try await harness.decide()
        #expect(try await harness.state(back) == "verified waits_for_front")
    }

    @Test func `a restored card that is sent as new is judged again`() async throws {
        let front = try await heldFront()
        try await harness.plant("UPDATE card SET reason = 'restored' WHERE id = '\(front)'")
        try await harness.resolve(front, .anew)
        #expect(try await harness.state(front) == "prepared")
    }

    @Test(arguments: [DecisionAction.reject, .accept], [DecisionAction.retake, .reject, .holder])
    func `whatever lets the other person's photos go needs two`(listed: DecisionAction, action: DecisionAction)
        async throws
    {
        try await harness.reopen(fourEyes: [listed])
        let one = try await harness.verified("one", number: "N", .front)
        let two = try await harness.verified("two", number: "N", .front, holder: Self.other)
        _ = try await harness.begin()
        let reason: RetakeReason? = action == .retake ? .otherPerson : nil
        func decide(by origin: AccessOrigin) async throws -> DecisionOutcome {
            try await harness.store.decisions.decide(one, action, because: reason, by: origin, now: harness.now)
        }
        #expect(try await decide(by: ReviewingTests.li) == .waitsForSecond)
        #expect(try await harness.begin().isEmpty)
        #expect(try await !decide(by: ReviewingTests.wang).changes.isEmpty)
        #expect(try await harness.proposals() == [[action == .holder ? one : two]])
    }

    @Test func `another code is another decision, and who disagrees ends it`() async throws {
        try await harness.reopen(fourEyes: [.reject])
        let front = try await heldFront()
        let decisions = harness.store.decisions
        func decide(_ reason: RetakeReason?, by origin: AccessOrigin) async throws -> DecisionOutcome {
            try await decisions.decide(front, .retake, because: reason, by: origin, now: harness.now)
        }
        #expect(try await decide(.glare, by: ReviewingTests.li) == .waitsForSecond)
        await #expect(throws: CodedError.self) { _ = try await decide(.blurred, by: ReviewingTests.wang) }
        await #expect(throws: CodedError.self) {
            try await decisions.resolve(front, as: .disagree, by: ReviewingTests.li, now: harness.now)
        }
        try await decisions.resolve(
            front,
            as: .disagree,
            saying: Redacted("it is sharp"),
            by: ReviewingTests.wang,
            now: harness.now
        )
        #expect(try await harness.state(front) == "held legality_low")
        #expect(
            try await decisions.dropped(of: ReviewingTests.li.caller ?? .process, now: harness.now).map(\.card) == [
                front
            ]
        )
        #expect(try await decide(.glare, by: ReviewingTests.li) == .waitsForSecond)
        // Who agrees may leave the code out.
        #expect(try await decide(nil, by: ReviewingTests.wang).changes.map(\.reason) == [RetakeReason.glare.code])
    }
}
