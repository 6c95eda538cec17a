import CardModel
import TestSupport
import Testing

@testable import CardStore

/// What a sender says once more about bytes that are there.
@Suite final class AmendmentTests: StoreSuite {
    @Test func `what is said of a prepared card is taken over, and what is not said stays`() async throws {
        let card = try await harness.admit("front", number: "N", priority: 2).card
        try await harness.admit("front", number: "N", priority: 9) { ($0.side, $0.userNumber) = (.back, Redacted("U")) }
        try await harness.admit("front", number: "N")
        let metadata = try await harness.card(card).metadata
        #expect(metadata.side == .back && metadata.priority == 9 && metadata.userNumber == Redacted("U"))
        #expect(try await harness.value("SELECT priority FROM cases", as: Int.self) == 9)
    }

    @Test func `a judged card whose verdict cannot differ is not judged again`() async throws {
        let card = try await harness.verified("front", number: "N", .front)
        try await harness.admit("front", number: "N") { $0.userNumber = Redacted("U") }
        #expect(try await harness.state(card) == "verified")
        #expect(try await harness.claim().isEmpty)
    }

    @Test func `a card that waits is decided again under the configuration of the next process`() async throws {
        var terms = StoreHarness.terms
        terms.hasDefaultUserNumber = false
        let card = try await harness.verified("front", number: "N", .front)
        _ = try await harness.begin(terms)
        #expect(try await harness.proposals() == [])
        try await harness.store.deliveries.reconsider(under: terms, now: harness.now)
        #expect(try await harness.proposals() == [], "it gives no account either")
        try await harness.store.deliveries.reconsider(under: StoreHarness.terms, now: harness.now)
        #expect(try await harness.proposals() == [[card]])
    }

    @Test func `all cards that wait are decided again, a few at a time, and each once`() async throws {
        var terms = StoreHarness.terms
        terms.hasDefaultUserNumber = false
        var cards: Set<CardID> = []
        for number in ["N", "M", "L"] { cards.insert(try await harness.verified(number, number: number, .front)) }
        _ = try await harness.begin(terms)
        try await harness.store.deliveries.reconsider(under: StoreHarness.terms, limit: 1, now: harness.now)
        // Another process decides by terms under which they wait as before: this one has looked at them.
        _ = try await harness.begin(terms)
        #expect(try await harness.proposals() == [])
        try await harness.store.deliveries.reconsider(under: StoreHarness.terms, limit: 2, now: harness.now)
        #expect(Set(try await harness.proposals().flatMap(\.self)) == cards)
    }

    @Test func `a delivery that failed goes on as it was where a person has decided about its card`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failure(.transient))
        try await harness.decideOnPage(card, .reject, by: ReviewingTests.li)
        try await harness.admit("front", number: "N") { $0.userNumber = Redacted("U") }
        #expect(try await harness.state(card) == "delivering")
        #expect(try await harness.repeated().outbound.idempotencyKey == job.outbound.idempotencyKey)
    }

    @Test func `a card amended while it is verified is judged by its new metadata`() async throws {
        let (card, job) = try await harness.verifying("front", number: "N")
        try await harness.admit("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        #expect(try await harness.claim().isEmpty)
        let reading = CardReading(side: .front, fields: CardFields(name: "SPECIMEN"))
        try await harness.conclude(job, .read(reading)) { _, metadata, _ in
            let isPutRight = metadata.expectedName == Redacted("SPECIMEN")
            return Judgement(isPutRight ? .accepted : .held(.restored, message: "as before"), warnings: [])
        }
        #expect(try await harness.state(card) == "verified")
    }

    @Test(arguments: [
        "rejected rejected_by_operator", "held outcome_unknown", "erased", "held retcode_unlisted", "held restored",
        "failed attempts_exhausted",
    ])
    func `nothing amends a rejected or erased card, or one that its delivery left`(_ status: String) async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        // These two the backend surely lacks.
        let isUnlisted = ["held retcode_unlisted", "held restored"].contains(status)
        let outcome = DeliveryOutcome.failure(isUnlisted ? .rejected : .unknown, isUnlisted: isUnlisted)
        try await harness.conclude(job, outcome, onUnknown: .hold)
        switch status {
        case "rejected rejected_by_operator": try await harness.resolve(card, .reject)
        case "held outcome_unknown", "held retcode_unlisted": break
        case "erased": try await harness.plant("UPDATE card SET state = 'erased', reason = NULL")
        default:
            let words = status.split(separator: " ")
            try await harness.plant("UPDATE card SET state = '\(words[0])', reason = '\(words[1])'")
        }
        #expect(try await harness.state(card) == status)
        let again = harness.photo("front", number: "N", side: .back, priority: 9) {
            $0.expectedName = Redacted("SPECIMEN")
        }
        #expect(try await harness.admit(again).isDuplicate)
        #expect(try await harness.state(card) == status)
        #expect(try await harness.value("SELECT priority FROM card") == 0)
        #expect(try await harness.card(card).metadata.expectedName == nil)
    }

    @Test func `a card that a rule holds is judged again by what its submitter says now`() async throws {
        let card = try await harness.judged("front", .held(VerdictRule.legalityLow.reason, message: "look at it"))
        #expect(try await harness.state(card) == "held legality_low")
        let others = harness.photo("front", number: "N", submitter: "two") { $0.expectedName = Redacted("SPECIMEN") }
        #expect(await code { try await harness.admit(others) } == .submitterConflict)
        #expect(try await harness.state(card) == "held legality_low")
        try await harness.admit("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        #expect(try await harness.state(card) == "prepared")
        #expect(try await harness.claim().map(\.attempt) == [nil])
    }

    @Test(arguments: ["submitter_conflict", "holder_conflict"])
    func `a card in doubt takes new metadata over, and waits on for a person`(_ reason: String) async throws {
        try await harness.admit("first", number: "N", submitter: "one")
        let submitter = reason == "holder_conflict" ? "one" : "two"
        let card = try await harness.admit("front", number: "N", submitter: submitter).card
        try await harness.plant("UPDATE card SET state = 'held', reason = '\(reason)' WHERE id = '\(card)'")
        try await harness.admit("front", number: "N", submitter: submitter) { $0.expectedName = Redacted("SPECIMEN") }
        #expect(try await harness.state(card) == "held \(reason)")
        #expect(try await harness.card(card).metadata.expectedName == Redacted("SPECIMEN"))
    }

    @Test func `a card that the backend refused goes again when its sender puts it right`() async throws {
        let card = try await harness.sent("front", number: "N", .failure(.rejected))
        try await harness.admit("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        #expect(try await harness.state(card) == "prepared")
    }

    @Test func `a card that failed before its delivery goes again when its submitter puts it right`() async throws {
        let card = try await harness.failedVerification("front", number: "N")
        try await harness.admit("front", number: "N")
        #expect(try await harness.state(card) == "failed attempts_exhausted", "nothing new was said")
        try await harness.admit("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        #expect(try await harness.state(card) == "prepared")
        #expect(try await harness.card(card).metadata.expectedName == Redacted("SPECIMEN"))
        #expect(try await harness.claim().map(\.tries) == [0])
    }

    @Test func `a damaged card does not stop the list that names it again`() async throws {
        let card = try await harness.admit("front", number: "N").card
        try await harness.plant("UPDATE card SET metadata = x'00'")
        let photos = [harness.photo("front", number: "N", priority: 3), harness.photo("back", number: "N")]
        let outcomes = try await harness.store.intake.admit(photos, now: harness.now)
        #expect(outcomes[0].card == card && outcomes[1].state == .prepared)
    }

    // MARK: By bytes or by file

    /// How a sender says more of a photo.
    enum Way: CaseIterable, Sendable {
        /// Its bytes are sent again.
        case bytes
        /// A list names its file, which is not read.
        case file
    }

    @Test(arguments: Way.allCases, ["prepared", "claimed", "rejected", "verified", "delivering", "delivered"])
    func `what is said by bytes or file counts until its card is delivering`(way: Way, status: String) async throws {
        let file = try harness.file("front")
        let card = try await harness.admit("front", number: "N", file: file) { $0.side = .back }.card
        try await bring(card, to: status)
        let before = try await harness.card(card)
        let outcome = try await say(way, of: file)
        #expect(outcome.card == card && outcome.isDuplicate)
        let isLate = before.state == .delivering || before.state == .delivered
        let after = try await harness.card(card)
        #expect(after.metadata.side == (isLate ? .back : .front))
        #expect(after.metadata.expectedName == (isLate ? nil : Redacted("SPECIMEN")))
        #expect(after.state == (isLate ? before.state : .prepared) && after.reason == nil)
        // Whoever verifies it at this moment keeps it.
        let jobs = try await harness.claim()
        #expect(jobs.map(\.card.id) == (isLate || status == "claimed" ? [] : [card]))
        #expect(jobs.allSatisfy { ($0.reading != nil) == (status != "prepared") })
        // What is not said, and what was said before, changes nothing.
        _ = try await harness.known([file])
        _ = try await say(way, of: file)
        #expect(try await harness.card(card) == after)
    }

    private func bring(_ card: CardID, to status: String) async throws {
        guard status != "prepared" else { return }
        let job = try #require(try await harness.claim().first)
        guard status != "claimed" else { return }
        if status == "rejected" {
            let verdict = Verdict.rejected(VerdictRule.sideMismatch.reason, message: "the other side")
            return _ = try await harness.conclude(job, CardReading(side: .front), verdict)
        }
        try await harness.conclude(job, side: .front, number: nil)
        guard status != "verified" else { return }
        let delivery = try #require(try await harness.begin().first)
        if status == "delivered" { try await harness.conclude(delivery, .accepted) }
    }

    private func say(_ way: Way, of file: FileIdentity) async throws -> Admitted {
        let photo = harness.photo("front", number: "N", side: .front) { $0.expectedName = Redacted("SPECIMEN") }
        switch way {
        case .bytes: return try await harness.admit(photo)
        case .file: return try #require(try await harness.known([file], metadata: photo.metadata)[0])
        }
    }

    @Test func `a photo that cannot be used takes new metadata over and stays rejected`() async throws {
        let card = try await harness.admit(harness.photo("front", number: "N", refused: StoreHarness.tooLarge)).card
        let again = harness.photo("front", number: "N", side: .back, refused: StoreHarness.tooLarge)
        #expect(try await harness.admit(again).state == .rejected)
        #expect(try await harness.state(card) == "rejected image_too_large_bytes")
        #expect(try await harness.card(card).metadata.side == .back)
        #expect(try await harness.store.stages.nextDue(in: .prepared, now: harness.now) == nil)
    }
}

extension StoreHarness {
    /// A card whose attempts to verify it are used up, while another one was read.
    fileprivate func failedVerification(_ bytes: String, number: String) async throws -> CardID {
        let card = try await self.admit(bytes, number: number).card
        for job in try await self.claim() { try await self.fail(job, maxAttempts: 1, delay: .zero) }
        self.pass(.seconds(1))
        try await self.admit("other", number: "M")
        for job in try await self.claim() where job.card.id != card {
            try await self.conclude(job, side: .front, number: nil)
        }
        try await self.killWorker()
        try await self.fail(#require(try await self.claim().first), maxAttempts: 1, delay: .zero)
        return card
    }
}
