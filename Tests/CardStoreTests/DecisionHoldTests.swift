import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// Between a person's word and the sending: nothing goes against it, and nothing else than was accepted.
@Suite final class DecisionHoldTests: StoreSuite {
    private let li = ReviewingTests.li
    private let wang = ReviewingTests.wang
    private var store: Sandbox { harness.store }

    private func resolve(_ card: CardID, _ resolution: Resolution, _ origin: AccessOrigin) async throws
        -> DecisionOutcome
    {
        try await store.decisions.resolve(card, as: resolution, by: origin, now: harness.now)
    }

    /// A back without a front, about which a person must decide.
    private func loneBack() async throws -> CardID {
        let back = try await harness.verified("back", number: "N", .back)
        try await harness.decide()
        #expect(try await harness.state(back) == "verified front_missing")
        return back
    }

    private func sent() async throws -> [[CardID]] {
        let jobs = try await harness.begin()
        for job in jobs { try await harness.conclude(job, .accepted) }
        return jobs.map(\.members)
    }

    @Test func `a back that is rejected on a page does not go with the front that comes meanwhile`() async throws {
        let back = try await self.loneBack()
        try await harness.decideOnPage(back, .reject, by: li)
        let front = try await harness.verified("front", number: "N", .front)
        #expect(try await self.sent() == [[front]])
        #expect(try await self.sent() == [])
        harness.pass(.seconds(10))
        try await harness.carryOut()
        #expect(try await harness.state(back) == "rejected rejected_by_operator")
        #expect(try await self.sent() == [])
    }

    @Test func `a back whose rejection waits for a second person goes once it is taken back`() async throws {
        try await harness.reopen(fourEyes: [.reject])
        let back = try await self.loneBack()
        #expect(try await self.resolve(back, .reject, li) == .waitsForSecond)
        let front = try await harness.verified("front", number: "N", .front)
        #expect(try await self.sent() == [[front]])
        #expect(try await self.sent() == [])
        _ = try await self.resolve(back, .withdraw, li)
        #expect(try await self.sent() == [[back]])
    }

    @Test func `a card whose erasure two persons want is erased, and does not go before`() async throws {
        try await harness.reopen(fourEyes: [.erase])
        let back = try await self.loneBack()
        let people = ["li.na", "wang.wei"].map { name in
            AccessOrigin(caller: Caller(subject: name, scopes: [.operate]), "token:\(name)", "T-1")
        }
        let first = try await store.upkeep.erase([back], because: .requested, by: people[0], now: harness.now)
        #expect(first.waiting == [back])
        // The card changes, which does not matter to an erasure.
        let front = try await harness.verified("front", number: "N", .front)
        #expect(try await self.sent() == [[front]])
        #expect(try await self.sent() == [])
        let second = try await store.upkeep.erase([back], because: .requested, by: people[1], now: harness.now)
        #expect(second.certificates.map(\.card) == [back])
    }

    @Test(arguments: [true, false])
    func `what waits or can be taken back is neither judged again nor amended`(isForTwo: Bool) async throws {
        if isForTwo { try await harness.reopen(fourEyes: [.reject]) }
        let (card, job) = try await harness.verifying("front", number: "N")
        let reading = CardReading(side: .front, fields: CardFields(name: "SPECIMEN", number: "11010519491231002X"))
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        try await harness.conclude(job, reading, verdict)
        if isForTwo {
            #expect(try await self.resolve(card, .reject, li) == .waitsForSecond)
        } else {
            try await harness.decideOnPage(card, .reject, by: li)
        }
        let outcome = try await harness.admit("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        #expect(outcome.card == card && outcome.state == .held)
        #expect(try await harness.claim().isEmpty)
        if isForTwo { _ = try await self.resolve(card, .reject, wang) }
        harness.pass(.seconds(10))
        try await harness.carryOut()
        #expect(try await harness.state(card) == "rejected rejected_by_operator")
        _ = try await harness.admit("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        #expect(try await harness.state(card) == "rejected rejected_by_operator")
    }

    @Test func `what a person has accepted goes as it was, under its account`() async throws {
        try await harness.reopen(fourEyes: [.accept])
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let card = try await harness.judged("front", number: "N", verdict)
        func amend() async throws -> String? {
            _ = try await harness.admit("front", number: "N") { $0.userNumber = Redacted("stranger") }
            return try await harness.card(card).metadata.userNumber?.reveal()
        }
        let seen = try await store.listings.details(of: card, for: .process).lastEvent
        #expect(try await harness.admit("front", number: "N") { $0.userNumber = Redacted("u-1") }.card == card)
        // An amendment is an event: who looked before it decides about another card.
        await #expect(throws: CodedError.self) {
            try await self.store.decisions.decide(card, .accept, seen: seen, by: self.li, now: self.harness.now)
        }
        #expect(try await self.resolve(card, .accept, li) == .waitsForSecond)
        #expect(try await amend() == "u-1")
        #expect(try await self.resolve(card, .accept, wang).changes.map(\.state) == [.verified])
        #expect(try await amend() == "u-1")
        #expect(try await self.sent() == [[card]])
    }

    @Test func `a decision about a card that is being sent is carried out on its answer`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failure(.transient))
        try await harness.decideOnPage(card, .reject, by: li)
        let again = try await harness.repeated()
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut() == [])
        try await harness.conclude(again, .accepted)
        try await harness.carryOut()
        // It was sent after the person saw it: that is told, and nothing is done.
        #expect(try await harness.state(card) == "delivered")
        #expect(try await store.decisions.dropped(of: li.caller ?? .process, now: harness.now).map(\.card) == [card])
    }

    @Test func `doing a card again that a rule holds counts as accepting it`() async throws {
        try await harness.reopen(fourEyes: [.accept])
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let card = try await harness.judged("front", number: "N", verdict)
        #expect(try await store.decisions.decide(card, .retry, by: li, now: harness.now) == .waitsForSecond)
        #expect(
            try await store.decisions.decide(card, .retry, by: wang, now: harness.now).changes.map(\.state) == [
                .prepared
            ]
        )
    }

    // MARK: Clocks

    @Test(arguments: [Duration.seconds(3_600), .seconds(-3_600)])
    func `a step of the clock changes nothing about the time to take a decision back`(step: Duration) async throws {
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let card = try await harness.judged("front", number: "N", verdict)
        try await harness.decideOnPage(card, .accept, by: li)
        let steady = Duration.milliseconds(harness.now.millisecondsSinceEpoch)
        harness.pass(step)
        func look(after seconds: Int) async throws -> [CardState] {
            try await store.decisions.carryOutDecisions(
                by: harness.worker,
                steady: steady + .seconds(seconds),
                now: harness.now
            )
            .map(\.state)
        }
        #expect(try await look(after: 9) == [])
        #expect(try await look(after: 10) == [.verified])
    }

    @Test func `another process carries a decision out once its own is gone, or a minute late`() async throws {
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        var cards: [CardID] = []
        for number in ["N", "M"] { cards.append(try await harness.judged(number, number: number, verdict)) }
        let other = try await store.upkeep.startWorker(id: "other", command: "run", now: harness.now)
        func look() async throws -> [CardID] {
            try await store.decisions.carryOutDecisions(by: other, steady: .zero, now: harness.now).map(\.card)
        }
        try await harness.decideOnPage(cards[0], .accept, by: li)
        harness.pass(.seconds(69))
        #expect(try await look() == [])
        harness.pass(.seconds(1))
        #expect(try await look() == [cards[0]])
        try await harness.decideOnPage(cards[1], .accept, by: li)
        try await harness.killWorker()
        // It can be taken back all the same.
        #expect(try await look() == [])
        harness.pass(.seconds(10))
        #expect(try await look() == [cards[1]])
    }

    // MARK: What comes in between

    @Test func `what turns out to be impossible half-way is undone as a whole, and told`() async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .failure(.unknown), onUnknown: .hold)
        try await harness.decideOnPage(front, .resend, by: li)
        // A newer back was delivered meanwhile.
        try await harness.plant("UPDATE cases SET back_delivered = 1000 WHERE number = 'N'")
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut() == [])
        for card in [front, back] { #expect(try await harness.state(card) == "held outcome_unknown") }
        #expect(try await store.decisions.dropped(of: li.caller ?? .process, now: harness.now).map(\.card) == [front])
    }

    @Test func `what has lapsed is told although another decision cannot be carried out for now`() async throws {
        try await harness.reopen(fourEyes: [.accept])
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let card = try await harness.judged("front", number: "N", verdict)
        #expect(try await self.resolve(card, .accept, li) == .waitsForSecond)
        // Its sender said something of it.
        _ = try await harness.plant("INSERT INTO event (card, at, state) VALUES ('\(card)', 0, 'held')")
        let other = try await harness.judged("other", number: "M", verdict)
        try await harness.decideOnPage(other, .reject, by: wang)
        try await harness.plant(
            "CREATE TRIGGER broken BEFORE DELETE ON decision BEGIN SELECT raise(ABORT, 'no room'); END"
        )
        harness.pass(.seconds(10))
        await #expect(throws: (any Error).self) { try await self.harness.carryOut() }
        try await harness.plant("DROP TRIGGER broken")
        #expect(try await store.decisions.dropped(of: li.caller ?? .process, now: harness.now).map(\.card) == [card])
        #expect(try await harness.carryOut().map(\.card) == [other])
    }

    @Test func `each person is told of an own decision that was dropped, also after an erasure`() async throws {
        try await harness.reopen(fourEyes: [.accept])
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let card = try await harness.judged("front", number: "N", verdict)
        for person in [li, wang] {
            #expect(try await self.resolve(card, .accept, person) == .waitsForSecond)
            let boss = AccessOrigin(caller: Caller(subject: "boss", scopes: [.operate]), "token:boss", "T-3")
            _ = try await self.resolve(card, .withdraw, boss)
        }
        try await harness.erase(card)
        #expect(try await harness.findings() == [])
        for person in [li, wang] { #expect(try await self.reporting(person) == [card]) }
    }

    private func reporting(_ person: AccessOrigin) async throws -> [CardID] {
        try await store.decisions.dropped(of: person.caller ?? .process, now: harness.now).map(\.card)
    }

    @Test func `both persons are told of what they decided and another one took back`() async throws {
        try await harness.reopen(fourEyes: [.accept])
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let card = try await harness.judged("front", number: "N", verdict)
        #expect(try await self.resolve(card, .accept, li) == .waitsForSecond)
        try await harness.decideOnPage(card, .accept, by: wang)
        let boss = AccessOrigin(caller: Caller(subject: "boss", scopes: [.operate]), "token:boss", "T-3")
        _ = try await self.resolve(card, .withdraw, boss)
        for person in [li, wang] {
            #expect(try await self.reporting(person) == [card])
            #expect(try await self.reporting(person) == [])
        }
        harness.pass(.seconds(60))
        #expect(try await harness.carryOut() == [])
        #expect(try await harness.findings() == [])
        // Who takes an own decision back is told nothing.
        let other = try await harness.judged("other", number: "M", verdict)
        #expect(try await self.resolve(other, .accept, boss) == .waitsForSecond)
        try await harness.decideOnPage(other, .accept, by: wang)
        _ = try await self.resolve(other, .withdraw, boss)
        #expect(try await store.listings.issues(.ample, now: harness.now).map(\.code).contains("decision_refused"))
        #expect(try await self.reporting(boss) == [])
        #expect(try await self.reporting(wang) == [other])
    }

    @Test func `nothing expires while a person's word about it waits`() async throws {
        try await harness.reopen(fourEyes: [.accept])
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let card = try await harness.judged("front", number: "N", verdict)
        #expect(try await self.resolve(card, .accept, li) == .waitsForSecond)
        harness.pass(.seconds(86_400))
        var terms = RetentionTerms()
        terms.held = .seconds(3_600)
        #expect(try await harness.eraseExpired(terms, clockIsRight: true) == [])
        _ = try await self.resolve(card, .withdraw, li)
        #expect(try await harness.eraseExpired(terms) == [card])
    }

    @Test func `a case on a person's page keeps no second person from deciding the same`() async throws {
        try await harness.reopen(fourEyes: [.accept])
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let card = try await harness.judged("front", number: "N", verdict)
        #expect(try await store.decisions.claimNext(tab: "a", by: li, now: harness.now) != nil)
        try await harness.decideOnPage(card, .accept, by: li)
        harness.pass(.seconds(10))
        try await harness.carryOut()
        await #expect(throws: CodedError.self) { try await self.harness.decideOnPage(card, .reject, by: self.wang) }
        try await harness.decideOnPage(card, .accept, by: wang)
        // Where nothing is left to do the tab keeps no case.
        #expect(try await store.decisions.claimNext(tab: "a", by: li, now: harness.now) == nil)
        #expect(try await store.decisions.reviewQueue(now: harness.now).claimed.isEmpty)
    }

    @Test func `what a person let in beside another submitter's cards goes as it was`() async throws {
        _ = try await harness.admit("own", number: "N")
        let card = try await harness.admit("foreign", number: "N", submitter: "stranger").card
        try await harness.resolve(card, .accept)
        let again = try await harness.admit("foreign", number: "N", submitter: "stranger") {
            $0.userNumber = Redacted("U-2")
        }
        #expect(again.card == card)
        #expect(try await harness.card(card).metadata.userNumber?.reveal() != "U-2")
    }

    @Test func `what a person let in and was not there is fetched once more, and asked about again`() async throws {
        _ = try await harness.admit("own", number: "N")
        let card = try await harness.admit(harness.message("m1", from: "stranger")).card
        try await harness.resolve(card, .accept)
        harness.pass(.seconds(700))
        let job = try #require(try await harness.claimFetching().jobs.first)
        try await harness.conclude(job, .failed(.specimen(.rejected)))
        #expect(try await harness.state(card) == "rejected refused_by_remote")
        #expect(try await harness.admit(harness.message("m2", from: "stranger")).card == card)
        #expect(try await harness.state(card) == "held submitter_conflict")
    }
}
