import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// A photo that was retaken lies at the address of the old one.
@Suite final class RetakeTests: StoreSuite {
    static let refusal = Verdict.rejected(VerdictRule.legalityLow.reason, message: "a copy")

    /// A card by URL that has come to its end.
    private func ended(_ end: String) async throws -> CardID {
        let card = try await harness.admit(harness.message("m1", from: "local")).card
        if end == "failed" {
            let job = try #require(try await harness.claimFetching().jobs.first)
            try await harness.conclude(job, .forbidden(StoreHarness.tooLarge))
            return card
        }
        try await harness.fetch("old", of: card)
        try await harness.prepare("old")
        let job = try #require(try await harness.claim().first)
        try await harness.conclude(job, CardReading(side: .front), end == "rejected" ? Self.refusal : .accepted)
        if end == "delivered" { try await harness.deliverAll() }
        return card
    }

    @Test(arguments: ["rejected", "failed", "delivered"])
    func `a new message about an address that has ended fetches it again, and another photo is a card`(
        _ end: String
    ) async throws {
        let card = try await ended(end)
        let before = try await harness.state(card)
        #expect(try await harness.admit(harness.message("m1", from: "local")).isReplay)
        #expect(try await harness.claimFetching().jobs.isEmpty, "the same message changes nothing")
        let again = try await harness.admit(harness.message("m2", from: "local"))
        #expect(again.card == card && again.isDuplicate && before.hasPrefix(again.state.rawValue))
        _ = try await harness.admit(harness.message("m3", from: "local"))
        // It blocks none of its number.
        let states = [
            "rejected": "verified waits_for_front", "failed": "verified front_missing", "delivered": "delivered",
        ]
        let back = try await harness.verified("back", number: "N", .back)
        try await harness.deliverAll()
        #expect(try await harness.state(back) == states[end])
        try await harness.fetch("new")
        #expect(try await harness.claimFetching().jobs.isEmpty, "it is fetched once")
        try await harness.prepare("new")
        try await harness.verify([:])
        try await harness.deliverAll()
        #expect(try await harness.state(card) == before)
        let cards = try await harness.store.listings.cards(CardFilter(), after: 0, limit: 10, for: .process)
        #expect(cards.count == 3 && cards.count { $0.state == .delivered } == (end == "delivered" ? 3 : 2))
        // From now on the address is the new card's.
        let last = try await harness.admit(harness.message("m4", from: "local"))
        #expect(last.card != card && last.state == .delivered)
        try await harness.fetch("new")
        #expect(try await harness.store.listings.cards(CardFilter(), after: 0, limit: 10, for: .process).count == 3)
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: ["rejected", "delivered"])
    func `the same image again is the card that is there, and leaves nothing behind`(_ end: String) async throws {
        let card = try await ended(end)
        let before = try await harness.card(card)
        let since = try await harness.store.listings.lastEvent()
        _ = try await harness.admit(harness.message("m2", from: "local"))
        try await harness.fetch("old")
        #expect(try await harness.card(card) == before)
        #expect(try await harness.store.listings.lastEvent() == since)
        for table in ["card", "card_key"] {
            #expect(try await harness.value("SELECT count(*) FROM \(SQL(stringLiteral: table))") == 1)
        }
        let details = try await harness.store.listings.reveal(card, to: StoreHarness.person, now: harness.now)
        #expect(details.calls.filter { $0.stage == .fetch }.count == 2)
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: ["rejected", "delivered", "failed"])
    func `an address that brings no image leaves its card as it was, with a line`(_ end: String) async throws {
        let card = try await ended(end)
        let before = try await harness.card(card)
        _ = try await harness.admit(harness.message("m2", from: "local"))
        let job = try #require(try await harness.claimFetching().jobs.first)
        try await harness.conclude(job, .failed(.specimen(.rejected)))
        #expect(try await harness.card(card) == before)
        #expect(try await harness.value("SELECT count(*) FROM card") == 1)
        let details = try await harness.store.listings.reveal(card, to: StoreHarness.person, now: harness.now)
        let line = try #require(details.steps.last)
        #expect(line.state == before.state && line.code == ReasonCode.refusedByRemote.rawValue && line.message != nil)
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: [false, true])
    func `what is erased while its address is fetched again does not come back`(isClaimed: Bool) async throws {
        let card = try await ended("delivered")
        _ = try await harness.admit(harness.message("m2", from: "local"))
        let job = isClaimed ? try await harness.claimFetching().jobs.first : nil
        try await harness.erase(card)
        #expect(try await harness.value("SELECT count(*) FROM card") == 1)
        if let job {
            let error = await #expect(throws: CodedError.self) {
                try await harness.storeChunk("new", at: 0, of: job, byteCount: 3)
            }
            #expect(error?.code == .cardConflict)
            try await harness.conclude(job, .fetched)
        }
        #expect(try await harness.claimFetching().jobs.isEmpty)
        #expect(try await harness.state(card) == "erased requested")
        #expect(try await harness.findings() == [])
    }

    @Test func `what is only fetched to be compared is there for nobody, and its number is erased without it`()
        async throws
    {
        let card = try await ended("rejected")
        _ = try await harness.admit(harness.message("m2", from: "local"))
        let hidden = try #require(try await harness.value("SELECT id FROM card WHERE beside <> ''", as: CardID.self))
        var filter = CardFilter()
        for number in [nil, BusinessNumber(stored: "N")] {
            filter.number = number
            for caller in [Caller.process, Caller(subject: "local", scopes: [.read])] {
                let listed = try await harness.store.listings.cards(filter, after: 0, limit: 9, for: caller)
                #expect(listed.map(\.id) == [card])
            }
        }
        let members = try await harness.store.listings.caseCards(of: BusinessNumber(stored: "N"), for: .process)
        #expect(members.map(\.card.id) == [card])
        for look in [
            harness.retry, { try await self.harness.resolve($0, .reject) }, { try await self.harness.erase($0) },
        ] {
            let error = await #expect(throws: CodedError.self) { try await look(hidden) }
            #expect(error?.code == .notFound)
        }
        // A process that goes on with what is there waits for it.
        filter.includesFetchedAgain = true
        #expect(
            try await harness.store.listings.cards(filter, after: 0, limit: 9, for: .process).map(\.id) == [
                card, hidden,
            ]
        )
        try await harness.fetch("new")
        filter.includesFetchedAgain = false
        #expect(
            try await harness.store.listings.cards(filter, after: 0, limit: 9, for: .process).map(\.id) == [
                card, hidden,
            ]
        )
    }

    @Test func `what is said of the same image now amends its card`() async throws {
        let card = try await ended("rejected")
        var message = harness.message("m2", from: "local")
        message.metadata.expectedName = Redacted("SPECIMEN")
        #expect(try await harness.admit(message).state == .rejected)
        try await harness.fetch("old")
        #expect(try await harness.state(card) == "prepared")
        #expect(try await harness.card(card).metadata.expectedName == Redacted("SPECIMEN"))
    }
}
