import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// An answer by a code of no list is kept, and judged once a list names the code.
@Suite final class KeptAnswerTests: StoreSuite {
    private static let code = "200"

    private static func unlisted(status: Int? = nil) -> RemoteFailure {
        var failure = RemoteFailure.specimen(.rejected, code: Self.code, isUnlisted: true)
        failure.httpStatus = status
        return failure
    }

    /// The lists of a configuration that names the code now.
    private static func lists(_ meaning: RetcodeTable.Meaning) -> RetcodeTable {
        var table = RetcodeTable()
        switch meaning {
        case .success: table.success = [Self.code]
        case .alreadyExists: table.alreadyExists = [Self.code]
        case .tokenExpired: table.tokenExpired = [Self.code]
        case .retryable: table.retryable = [Self.code]
        case .refusal: table.rejected = [Self.code]
        case .unlisted: break
        }
        return table
    }

    private func list(_ meaning: RetcodeTable.Meaning, fourEyes: Set<DecisionAction> = []) async throws {
        try await harness.reopen(fourEyes: fourEyes, retcodes: Self.lists(meaning))
        harness.worker = try await harness.store.upkeep.startWorker(id: "listing", command: "run", now: harness.now)
    }

    @Test(arguments: [
        (RetcodeTable.Meaning.success, "delivered"), (.alreadyExists, "delivered"), (.tokenExpired, "verified"),
        (.retryable, "delivering"), (.refusal, "rejected refused_by_remote"),
    ])
    func `retrying a card judges its kept answer by the lists of now`(
        meaning: RetcodeTable.Meaning,
        state: String
    ) async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failed(Self.unlisted()), onUnknown: .hold)
        #expect(try await harness.state(card) == "held retcode_unlisted")
        try await self.list(meaning)
        try await harness.retry(card)
        #expect(try await harness.state(card) == state)
        #expect(try await harness.findings() == [])
        let again = try await harness.claimDeliveries()
        // What goes again goes under the same key.
        #expect(again.map(\.outbound.idempotencyKey) == (meaning == .retryable ? [job.outbound.idempotencyKey] : []))
        let log = try await harness.accessLog()
        #expect(log.contains { $0.joined(separator: " ").contains("RETCODE 200 in \(meaning.key)") })
    }

    @Test func `a case on a person's page keeps no second person from what doing it again comes to`() async throws {
        let (li, wang) = (ReviewingTests.li, ReviewingTests.wang)
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failed(Self.unlisted()), onUnknown: .hold)
        try await self.list(.success, fourEyes: [.delivered])
        #expect(try await harness.store.decisions.claimNext(tab: "a", by: li, now: harness.now) != nil)
        try await harness.decideOnPage(card, .retry, by: li)
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut() == [])
        try await harness.decideOnPage(card, .retry, by: wang)
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut().map(\.state) == [.delivered])
    }

    @Test func `while no list names the code the card stays, and nothing goes under another key`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failed(Self.unlisted()))
        let error = await #expect(throws: CodedError.self) { try await self.harness.retry(card) }
        #expect(error?.message.text().contains("RETCODE 200") == true)
        #expect(error?.message.text().contains("delivery.retcode") == true)
        #expect(try await harness.state(card) == "held retcode_unlisted")
        // A newer photo of its side waits for what a person finds out.
        let newer = try await harness.verified("front again", number: "N", .front)
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(newer) == "verified waits_for_older_photo")
    }

    @Test func `a code of success asks a second person as the word delivered does`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failed(Self.unlisted()))
        try await self.list(.success, fourEyes: [.delivered])
        let outcome = try await harness.store.decisions.decide(card, .retry, by: ReviewingTests.li, now: harness.now)
        #expect(outcome == .waitsForSecond)
        #expect(try await harness.state(card) == "held retcode_unlisted")
        _ = try await harness.store.decisions.decide(card, .retry, by: ReviewingTests.wang, now: harness.now)
        #expect(try await harness.state(card) == "delivered")
    }

    @Test func `not now is refused once a newer photo was sent`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failed(Self.unlisted()))
        let newer = try await harness.verified("front again", number: "N", .front)
        try await harness.decide()
        let store = harness.store
        try await store.write { tx in
            _ = try tx.run("UPDATE card SET state = 'delivered' WHERE id = \(newer)")
            try store.decisions.markDelivered(CardRow.require(newer, in: tx), in: tx)
        }
        try await self.list(.retryable)
        await #expect(throws: CodedError.self) { try await self.harness.retry(card) }
    }

    /// Forms of two cards, refused as a whole.
    @Test(arguments: [(200, "held retcode_unlisted"), (400, "verified")])
    func `a form of several is split only by a status that refuses it`(status: Int, state: String) async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .failed(Self.unlisted(status: status)))
        #expect(try await harness.state(front) == state)
        #expect(try await harness.state(back).hasPrefix(status == 200 ? state : "verified"))
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: [
        (RetcodeTable.Meaning.success, ["delivered", "delivered"]),
        (.refusal, ["verified", "verified"]), (.retryable, ["delivering", "delivering"]),
    ])
    func `members refused as a whole go alone once the list refuses the code`(
        meaning: RetcodeTable.Meaning,
        states: [String]
    ) async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .failed(Self.unlisted(status: 200)))
        try await self.list(meaning)
        for card in [front, back] where try await harness.state(card) == "held retcode_unlisted" {
            try await harness.retry(card)
        }
        let found = [try await harness.state(front), try await harness.state(back)]
        #expect(zip(found, states).allSatisfy { $0.hasPrefix($1) }, "\(found)")
        if meaning == .refusal {
            let forms = try await harness.begin(StoreHarness.together)
            #expect(forms.map(\.members) == [[front]], "each goes alone")
        }
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: [
        (RetcodeTable.Meaning.success, "delivered"), (.refusal, "rejected refused_by_remote"), (.retryable, "verified"),
    ])
    func `a member that a joint reply answers so is judged by itself`(
        meaning: RetcodeTable.Meaning,
        state: String
    ) async throws {
        let (front, back, job) = try await harness.joint()
        let answers: [DeliveryItemOutcome] = [.accepted(alreadyExisted: false, code: "0"), .rejected(Self.unlisted())]
        try await harness.conclude(job, .items(answers))
        #expect(try await harness.state(front) == "delivered")
        await #expect(throws: CodedError.self) { try await self.harness.retry(back) }
        try await self.list(meaning)
        try await harness.retry(back)
        #expect(try await harness.state(back).hasPrefix(state))
        #expect(try await harness.findings() == [])
    }

    @Test func `a decision of a page means what the lists say when it is carried out`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failed(Self.unlisted()))
        try await self.list(.tokenExpired)
        try await harness.decideOnPage(card, .retry, by: ReviewingTests.li)
        try await harness.reopen(retcodes: Self.lists(.success))
        try await harness.killWorker()
        harness.pass(.seconds(10))
        try await harness.carryOut()
        // Nothing goes under another key.
        #expect(try await harness.state(card) == "delivered")
    }

    @Test func `after a restore the answer of before it decides nothing`() async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failed(Self.unlisted()))
        let backup = "\(harness.folder)/backup"
        try await harness.backUp(to: backup)
        try await harness.store.upkeep.stop(harness.worker, now: harness.now)
        try harness.store.close()
        _ = try await Restore(
            of: BackupFile(backup, erasures: []),
            into: harness.folder,
            kind: nil,
            ring: KeyRing(harness.key),
            replacing: true,
            by: AccessOrigin(actor: "root:restore"),
            now: harness.now
        ).run()
        harness.store = try await harness.another(retcodes: Self.lists(.tokenExpired))
        #expect(try await harness.state(card) == "held restored")
        await #expect(throws: CodedError.self) { try await self.harness.retry(card) }
    }

    @Test func `a code of no list after an answer that was not understood names no way that leads nowhere`()
        async throws
    {
        let (card, job) = try await harness.delivering("front", number: "N")
        var unreadable = RemoteFailure.specimen(.unknown, code: "unreadable_reply")
        unreadable.isUnreadable = true
        try await harness.conclude(job, .failed(unreadable))
        let probe = try await harness.store
            .deliveries.claimDeliveries(by: harness.worker, limit: 1, scope: .unreadable, now: harness.now).jobs
        let again = try #require(probe.first)
        var unlisted = Self.unlisted()
        unlisted.message = "add it, then run: cards retry --reason retcode_unlisted"
        try await harness.conclude(again, .failed(unlisted))
        #expect(try await harness.state(card) == "held outcome_unknown")
        let message = try await harness.store.listings.details(of: card, for: .process).card.message?.text() ?? ""
        #expect(message.contains("200") && !message.contains("retcode_unlisted"), "\(message)")
    }
}
