import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// What is left of a case that a reviewer ended, and who is told.
@Suite final class EndedCaseTests: StoreSuite {
    private static let other = "110105194912310038"
    private var decisions: SandboxDecisions { harness.store.decisions }

    private func held(_ bytes: String, _ side: CardSide = .front) async throws -> CardID {
        try await harness.judged(bytes, side: side, .held(VerdictRule.legalityLow.reason, message: "look at it"))
    }

    private func reject(_ card: CardID, shown: RejectEffect?, by origin: AccessOrigin) async throws -> DecisionOutcome {
        try await decisions.decide(
            card,
            .reject,
            message: Redacted("forged"),
            effect: shown,
            undoableIn: harness.worker.id,
            by: origin,
            now: harness.now
        )
    }

    private func dropped(of origin: AccessOrigin) async throws -> [CardID] {
        try await decisions.dropped(of: try #require(origin.caller), now: harness.now).map(\.card)
    }

    // MARK: The effect that was shown

    @Test func `a rejection does no more than its page said`() async throws {
        let (front, other) = (try await held("front"), try await held("other"))
        let shown = try await harness.store.listings.details(of: front, for: .process).effectOfReject
        #expect(shown == .card)
        try await harness.resolve(other, .retake)
        for effect in [RejectEffect.holder, .card] {
            let error = await #expect(throws: CodedError.self) {
                _ = try await self.reject(front, shown: effect, by: ReviewingTests.li)
            }
            #expect(error?.code == .cardConflict)
        }
        #expect(try await harness.state(front) == "held legality_low")
        guard case .undoable = try await reject(front, shown: .wholeCase, by: ReviewingTests.li) else {
            Issue.record("the decision was not stored")
            return
        }
    }

    @Test(arguments: [true, false])
    func `a second person agrees to no more than the first saw`(isOnPage: Bool) async throws {
        try await harness.reopen(fourEyes: [.reject])
        let (front, other) = (try await held("front"), try await held("other"))
        #expect(try await reject(front, shown: .card, by: ReviewingTests.li) != .waitsForSecond)
        harness.pass(.seconds(10))
        _ = try await harness.carryOut()
        harness.pass(.seconds(10))
        _ = try await harness.carryOut()
        // A day later the other photo of the side is gone.
        harness.pass(.seconds(86_400))
        let agreed = StoreHarness.person
        try await decisions.decide(other, .retake, because: .glare, by: ReviewingTests.li, now: harness.now)
        try await decisions.decide(other, .retake, because: .glare, by: agreed, now: harness.now)
        await #expect(throws: CodedError.self) {
            if isOnPage {
                _ = try await self.reject(front, shown: .wholeCase, by: ReviewingTests.wang)
            } else {
                try await self.decisions.decide(front, .reject, by: ReviewingTests.wang, now: self.harness.now)
            }
        }
        #expect(try await harness.state(front) == "held legality_low")
    }

    @Test func `who decided about a card that the end of its case rejects is told`() async throws {
        let (front, back) = (try await held("front"), try await held("back", .back))
        _ = try await harness.decideOnPage(back, .accept, by: ReviewingTests.wang)
        try await harness.resolve(front, .reject)
        #expect(try await harness.state(back) == "rejected rejected_by_operator")
        #expect(try await dropped(of: ReviewingTests.wang) == [back])
        harness.pass(.seconds(20))
        #expect(try await harness.carryOut().isEmpty)
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.findings() == [])
    }

    // MARK: What stays ended

    @Test func `what was left to its answer ends with it, also once a later photo is let in`() async throws {
        let (_, job) = try await harness.delivering("front", number: "N")
        try await harness.resolve(try await held("back", .back), .reject)
        let late = try await harness.admit("late", number: "N") { $0.side = .back }.card
        try await harness.resolve(late, .accept)
        #expect(try await harness.state(late) == "prepared")
        try await harness.conclude(job, .failure(.rejected))
        // As after the refusal of a form with cards of several numbers.
        try await harness.plant(
            """
            UPDATE card SET state = 'verified', reason = NULL, remote_code = NULL, delivery = NULL WHERE id = '\(job.members[0])'
            """
        )
        try await harness.plant("UPDATE cases SET decide_from = 0, decide_at = 0")
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.card(job.members[0]).reason == .rejectedByOperator)
        // Others come in like any.
        let next = try await harness.admit("next", number: "N").card
        #expect(try await harness.state(next) == "prepared")
    }

    @Test func `another submitter's photo that is let in does not open the case`() async throws {
        let front = try await held("front")
        let foreign = try await harness.admit("foreign", number: "N", submitter: "stranger").card
        try await harness.resolve(front, .reject)
        try await harness.resolve(foreign, .accept)
        #expect(try await harness.state(foreign) == "prepared")
        let late = try await harness.admit("late", number: "N").card
        #expect(try await harness.state(late) == "held case_rejected")
        // The person let it in after the end, so it is sent.
        try await harness.verify([foreign: (.front, nil)])
        #expect(try await harness.begin().flatMap(\.members) == [foreign])
        #expect(try await harness.findings() == [])
    }

    @Test func `nothing of it is sent as new`() async throws {
        let card = try await harness.sent("front", number: "N", .failure(.unknown), onUnknown: .hold)
        #expect(try await harness.state(card) == "held outcome_unknown")
        try await harness.resolve(try await held("back", .back), .reject)
        await #expect(throws: CodedError.self) { try await self.harness.resolve(card, .anew) }
    }

    // MARK: Who reads the words

    @Test func `the submitter reads the code, reviewers the words`() async throws {
        let front = try await held("front")
        let words = Redacted("ask colleague zhang about the forged one")
        try await decisions.decide(
            front,
            .retake,
            because: .glare,
            message: words,
            by: StoreHarness.person,
            now: harness.now
        )
        let submitter = Caller(subject: "local", scopes: [.read, .reveal])
        let origin = AccessOrigin(caller: submitter, "token:local", "T-1")
        let own = try await harness.store.listings.reveal(front, to: origin, now: harness.now)
        let meaning = try #require(RetakeReason.glare.code.meaningByPerson)
        #expect(own.message == meaning)
        #expect(own.events.allSatisfy { $0.message?.text().contains("zhang") != true })
        #expect(own.caseCards.allSatisfy { $0.message?.text().contains("zhang") != true })
        #expect(
            try await harness.store.listings.cases(CaseFilter(), after: nil, limit: 10, for: submitter).cases.first?
                .message == meaning
        )
        let reader = Caller(subject: "li.na", scopes: [.review, .reveal])
        let seer = AccessOrigin(caller: reader, "token:li.na", "T-1")
        let reviewer = try await harness.store.listings.reveal(front, to: seer, now: harness.now)
        #expect(reviewer.events.contains { $0.message?.text().contains("zhang") == true })
    }

    @Test func `only reviewers learn whose decision was dropped`() async throws {
        let (front, back) = (try await held("front"), try await held("back", .back))
        _ = try await harness.decideOnPage(back, .accept, by: ReviewingTests.wang)
        try await harness.resolve(front, .reject)
        let submitter = Caller(subject: "local", scopes: [.read])
        let own = try await harness.store.listings.details(of: back, for: submitter)
        #expect(!own.events.contains { $0.code == ReasonCode.decisionRefused.rawValue })
        let all = try await harness.store.listings.details(of: back, for: .process)
        #expect(all.events.contains { $0.code == ReasonCode.decisionRefused.rawValue })
    }
}
