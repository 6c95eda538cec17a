import CardModel
import Foundation
import Testing

@testable import CardStore

/// Who touched what, and why.
@Suite final class AccessLogTests: StoreSuite {
    @Test func `each image is written down before it is sent to the verifier, a stored reading is not`() async throws {
        let card = try await harness.admit("front", number: "N").card
        _ = try await harness.claim()
        #expect(try await harness.accessLog() == [["verify", "engine:w1", "verify", card.rawValue]])
        // What a killed process was about to send may have arrived.
        try await harness.killWorker()
        let job = try #require(try await harness.claim().first)
        let second = ["verify", "engine:\(harness.worker.id)", "verify", card.rawValue]
        #expect(try await harness.accessLog().suffix(1) == [second])
        try await harness.conclude(job, side: .front, number: nil)
        try await harness.admit("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        #expect(try await harness.claim().map(\.attempt) == [nil])
        #expect(try await harness.accessLog().count == 2)
    }

    @Test func `what a person changes is written down with who and why, and what is refused is not`() async throws {
        let card = try await harness.admit("front", number: "N").card
        let nobody = CardID(rawValue: "nobody")
        for (id, refusal) in [(card, ReasonCode.cardConflict), (nobody, .notFound)] {
            #expect(await code { try await harness.retry(id) } == refusal)
            for resolution in Resolution.allCases {
                #expect(await code { try await harness.resolve(id, resolution) } == refusal)
            }
        }
        #expect(try await harness.accessLog().isEmpty)
        let origin = AccessOrigin(actor: "root:cards", purpose: "ticket 7")
        let hold = """
            INSERT INTO event (card, at, was, state, reason) SELECT id, changed_at, state, 'held', 'legality_low' FROM card;
            UPDATE card SET state = 'held', reason = 'legality_low'
            """
        try await harness.plant(hold)
        try await harness.store.decisions.decide(card, .retry, by: origin, now: harness.now)
        try await harness.plant(hold)
        try await harness.store.decisions.resolve(card, as: .reject, by: origin, now: harness.now)
        let expected = ["retry", "resolve"].map { [$0, "root:cards", "ticket 7", card.rawValue] }
        #expect(try await harness.accessLog() == expected)
        #expect(try await harness.findings() == [])
    }

    @Test func `what an ended process had under way is shown as interrupted, and costs no attempt`() async throws {
        let (card, _) = try await harness.delivering("front", number: "N")
        let other = try await harness.admit("other", number: "M").card
        for round in 0..<3 {
            #expect(try await harness.claim().map(\.tries) == [0])
            if round > 0 { #expect(try await harness.claimDeliveries().map(\.tries) == [0]) }
            try await harness.killWorker()
        }
        for (id, stage) in [(card, Stage.deliver), (other, .verify)] {
            let details = try await harness.store.listings.reveal(id, to: StoreHarness.person, now: harness.now)
            let attempts = details.calls.filter { $0.stage == stage }
            #expect(attempts.map(\.code) == Array(repeating: "interrupted", count: 3))
            #expect(attempts.allSatisfy { $0.failureClass == .unknown })
            #expect(try await harness.value("SELECT count(*) FROM attempt WHERE ended_at IS NULL", as: Int.self) == 0)
            #expect(details.card.failures == 0)
        }
    }

    @Test(arguments: ["number > 2", "number > 0"])
    func `lines that were cut off are missed whatever is written after them, and a later cut is named, too`(
        _ cut: String
    ) async throws {
        for _ in 0..<4 { try await harness.store.listings.logList(to: StoreHarness.person, now: harness.now) }
        #expect(try await harness.findings() == [])
        try await harness.plant("DELETE FROM access_log WHERE \(cut)")
        for _ in 0..<3 { try await harness.store.listings.logList(to: StoreHarness.person, now: harness.now) }
        let first = try await harness.store.upkeep.check()
        #expect(first.map(\.code) == ["log_broken"])
        try await harness.plant("DELETE FROM access_log WHERE number = (SELECT max(number) FROM access_log)")
        try await harness.store.listings.logList(to: StoreHarness.person, now: harness.now)
        #expect(try await harness.store.upkeep.check().map(\.code) == ["log_broken", "log_broken"])
        #expect(try await harness.store.upkeep.check().first == first.first)
    }

    @Test func `each attempt to deliver is written down for every card of the delivery`() async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .failure(.transient))
        harness.pass(.seconds(1))
        #expect(try await harness.claimDeliveries().count == 1)
        let sent = try await harness.accessLog().filter { $0[0] == "deliver" }
        let both = [front, back].map { ["deliver", "engine:w1", "deliver", $0.rawValue] }
        #expect(sent == both + both)
    }
}

extension StoreHarness {
    /// Action, actor, purpose and card of each line.
    func accessLog() async throws -> [[String]] {
        try await self.store.database.read { tx in
            try tx.rows("SELECT action, actor, purpose, card FROM access_log ORDER BY number") { row in
                try (0..<4).map { _ in try row.next(String?.self) ?? "" }
            }
        }
    }
}
