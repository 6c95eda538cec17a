import CardModel
import TestSupport
import Testing

@testable import CardStore

@Suite final class PeopleTests: StoreSuite {
    private func held(number: String = "N") async throws -> (CardID, DeliveryJob) {
        let (card, job) = try await harness.delivering("front", number: number)
        try await harness.conclude(job, .failure(.unknown), onUnknown: .hold)
        return (card, job)
    }

    @Test func `resend repeats the same bytes under the same key, with all attempts before it`() async throws {
        let (card, job) = try await held()
        try await harness.plant("UPDATE card SET failures = 4, tries = 4, failed_at = 1")
        try await harness.resolve(card, .resend)
        let again = try #require(try await harness.claimDeliveries().first)
        #expect(again.outbound.idempotencyKey == job.outbound.idempotencyKey)
        #expect(again.outbound.parts == job.outbound.parts && again.outbound.images == job.outbound.images)
        try await harness.conclude(again, .failure(.unknown), maxAttempts: 2)
        #expect(try await harness.state(card) == "delivering")
    }

    @Test func `an older photo is sent again while a newer one waits for it, not once that is sent`() async throws {
        let (card, _) = try await held()
        let newer = try await harness.verified("newer", number: "N", .front)
        _ = try await harness.begin()
        #expect(try await harness.state(newer) == "verified waits_for_older_photo")
        try await harness.resolve(card, .resend)
        let again = try #require(try await harness.claimDeliveries().first)
        try await harness.conclude(again, .failure(.unknown), onUnknown: .hold)
        try await harness.plant("UPDATE card SET state = 'delivering' WHERE id = '\(newer)'")
        await #expect(throws: CodedError.self) { try await harness.resolve(card, .resend) }
    }

    @Test func `resend moves only the members that are still held`() async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .failure(.unknown), onUnknown: .hold)
        try await harness.plant("UPDATE card SET state = 'rejected' WHERE id = '\(back)'")
        try await harness.resolve(front, .resend)
        #expect(try await harness.state(front) == "delivering")
        #expect(try await harness.card(back).state == .rejected)
    }

    @Test func `a card that is done again keeps its reading and has all its attempts`() async throws {
        let card = try await harness.sent("front", number: "N", .failure(.transient), maxAttempts: 1)
        harness.pass(.seconds(1))
        try await harness.sent("other", number: "M", .accepted)
        let second = try #require(try await harness.claimDeliveries().first)
        try await harness.conclude(second, .failure(.transient), maxAttempts: 1)
        #expect(try await harness.state(card) == "failed attempts_exhausted")
        try await harness.retry(card)
        #expect(try await harness.card(card).failures == 0)
        let again = try #require(try await harness.claim().first)
        let reading = CardReading(side: .front, fields: CardFields(name: "SPECIMEN", number: "11010519491231002X"))
        #expect(again.reading == reading && again.attempt == nil)
    }

    @Test(arguments: ["retry", "accept", "reject"])
    func `a card that a rule holds is done again, goes or ends, as a person says`(_ act: String) async throws {
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let card = try await harness.judged("front", verdict)
        if act == "retry" { try await harness.retry(card) }
        if let word = Resolution(rawValue: act) { try await harness.resolve(card, word) }
        let states = ["retry": "prepared", "accept": "verified", "reject": "rejected rejected_by_operator"]
        #expect(try await harness.state(card) == states[act])
        #expect(try await harness.card(card).isAccepted == (act == "accept"))
        #expect(try await harness.proposals() == (act == "accept" ? [[card]] : []))
    }

    @Test func `a rejected photo is not done again once a newer one of its side was delivered`() async throws {
        let verdict = Verdict.rejected(VerdictRule.legalityLow.reason, message: "no")
        let front = try await harness.judged("front", side: .front, verdict)
        let back = try await harness.judged("back", side: .back, verdict)
        try await harness.sent("newer", number: "N", .accepted)
        #expect(await code { try await harness.retry(front) } == .cardConflict)
        try await harness.retry(back)
        #expect(try await harness.state(back) == "prepared")
    }

    @Test(arguments: ["retry", "reject"])
    func `a card whose delivery failed for certain is done again or rejected while it waits`(act: String) async throws {
        let (front, back, job) = try await harness.joint()
        await #expect(throws: CodedError.self) { try await harness.retry(front) }
        try await harness.conclude(job, .failure(.transient))
        if act == "retry" { try await harness.retry(front) } else { try await harness.resolve(front, .reject) }
        #expect(try await harness.state(front) == (act == "retry" ? "verified" : "rejected rejected_by_operator"))
        #expect(try await harness.card(back).state == (act == "retry" ? .verified : .rejected))
        harness.pass(.seconds(1))
        #expect(try await harness.claimDeliveries().isEmpty)
        #expect(try await harness.findings() == [])
    }

    @Test func `a card that failed once in an outage is done again or rejected`() async throws {
        let card = try await harness.admit("front", number: "N").card
        try await harness.fail(#require(try await harness.claim().first))
        try await harness.retry(card)
        await #expect(throws: CodedError.self) { try await harness.retry(card) }
        try await harness.fail(#require(try await harness.claim().first))
        try await harness.resolve(card, .reject)
        #expect(try await harness.state(card) == "rejected rejected_by_operator")
    }

    @Test(arguments: [
        "UPDATE card SET metadata = x'00' WHERE id", "UPDATE card SET message = x'00' WHERE id",
        "UPDATE card_key SET wrapped = x'00' WHERE card", "DELETE FROM card_key WHERE card",
        "UPDATE event SET message = x'00' WHERE card",
    ])
    func `a damaged card hides no other from a list, and can be looked at and rejected`(_ damage: String) async throws {
        let damaged = try await harness.sent("damaged", number: "N", .failure(.unknown), onUnknown: .hold)
        let sound = try await harness.admit("sound", number: "M").card
        try await harness.plant("\(damage) = '\(damaged)'")
        let cards = try await harness.store.listings.cards(CardFilter(), after: 0, limit: 10, for: .process)
        #expect(cards.map(\.id) == [damaged, sound])
        #expect(cards[0].state == .held && cards[0].metadata.businessNumber.rawValue == "N")
        #expect(try await harness.store.listings.cards([sound, damaged], for: .process).map(\.id) == [sound, damaged])
        let details = try await harness.store.listings.reveal(damaged, to: StoreHarness.person, now: harness.now)
        #expect(details.card.state == .held && details.steps.count == 4)
        try await harness.resolve(damaged, .reject)
        #expect(try await harness.store.listings.status(of: [damaged]).map(\.state) == [.rejected])
    }

    @Test func `a look is written down with who and why, also one at nothing`() async throws {
        let card = try await harness.admit("front", number: "N").card
        let origin = AccessOrigin(actor: "root:cards show", purpose: "a\ncomplaint")
        _ = try await harness.store.listings.reveal(card, to: origin, now: harness.now)
        let error = await #expect(throws: CodedError.self) {
            try await harness.store.listings.reveal(CardID(rawValue: "none"), to: origin, now: harness.now)
        }
        #expect(error?.code == .notFound)
        let lines = try await harness.accessLog()
        #expect(lines[0] == ["reveal", "root:cards show", "a complaint", card.rawValue])
        #expect(lines.dropFirst().map { [$0[0], $0[3]] } == [["reveal_denied", ""]])
    }

    @Test func `a list shows cards by state, reason, number, submitter and attention, page by page`() async throws {
        #expect(try await harness.store.listings.counts() == [:])
        #expect(try await harness.store.listings.attentionCounts() == [.decide: 0, .retake: 0])
        for (bytes, number, submitter) in [("a", "N", "one"), ("b", "N", "one"), ("c", "M", "one"), ("d", "N", "two")] {
            try await harness.admit(bytes, number: number, submitter: submitter)
        }
        try await harness.conclude(#require(try await harness.claim(1).first), side: .front, number: nil)
        func orders(_ ask: (inout CardFilter) -> Void, after: Int64 = 0, limit: Int = 9) async throws -> [Int64] {
            var filter = CardFilter()
            ask(&filter)
            return try await harness.store.listings.cards(filter, after: after, limit: limit, for: .process).map(
                \.order
            )
        }
        #expect(try await orders({ $0.states = [.verified] }) == [1])
        #expect(try await orders({ $0.states = [.verified, .prepared] }, after: 1) == [2, 3])
        #expect(try await orders({ $0.reason = "submitter_conflict" }) == [4])
        #expect(try await orders({ $0.submitter = "one" }) == [1, 2, 3])
        #expect(try await orders({ $0.number = BusinessNumber(stored: "N") }) == [1, 2, 4])
        #expect(try await orders({ ($0.number, $0.attention) = (BusinessNumber(stored: "N"), [.decide]) }) == [4])
        #expect(try await orders({ ($0.number, $0.attention) = (BusinessNumber(stored: "M"), [.decide]) }).isEmpty)
        #expect(try await orders({ ($0.states, $0.number) = ([.prepared], BusinessNumber(stored: "N")) }) == [2])
        #expect(try await orders({ $0.states = [.delivered] }).isEmpty)
        #expect(try await orders({ _ in }, limit: 2) == [1, 2])
        #expect(try await orders({ _ in }, after: 2) == [3, 4])
        #expect(try await orders({ _ in }, limit: 0).isEmpty)
        #expect(try await harness.store.listings.counts() == [.verified: 1, .prepared: 2, .held: 1])
        #expect(try await harness.store.listings.attentionCounts() == [.decide: 1, .retake: 0])
    }
}

extension StoreHarness {
    /// Takes a card of the number `N` in, and judges it so.
    func judged(_ bytes: String, number: String = "N", side: CardSide = .front, _ verdict: Verdict) async throws
        -> CardID
    {
        let card = try await self.admit(bytes, number: number).card
        let job = try await self.claim().first { $0.card.id == card }
        try await self.conclude(#require(job), CardReading(side: side), verdict)
        return card
    }
}
