import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// How a delivery ends.
@Suite final class DeliveryTests: StoreSuite {
    @Test(arguments: [
        (DeliveryOutcome.accepted, "delivered", "delivered"),
        (.accepted(alreadyExisted: true, code: "0001"), "delivered", "delivered"),
        (.failure(.rejected), "rejected refused_by_remote", "held outcome_unknown"),
        (.failure(.shrink), "rejected refused_by_remote", "held outcome_unknown"),
        (.failure(.rejected, isUnlisted: true), "held retcode_unlisted", "held outcome_unknown"),
        (.failure(.notSent), "delivering", "delivering"),
        (.tokenExpired, "verified", "held outcome_unknown"),
        (.failure(.throttled), "delivering", "delivering"), (.failure(.transient), "delivering", "delivering"),
        (.failure(.unknown), "delivering", "delivering"), (.failure(.stop), "delivering", "delivering"),
        (.failure(.stop, scope: .request), "delivering", "delivering"),
    ])
    func `an attempt ends the card otherwise once an earlier one may have arrived`(
        outcome: DeliveryOutcome,
        first: String,
        second: String
    ) async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, outcome)
        #expect(try await harness.state(card) == first)
        let other = try await harness.sent("other", number: "M", .failure(.unknown))
        harness.pass(.seconds(1))
        let again = try #require(try await harness.claimDeliveries().first { $0.members == [other] })
        try await harness.conclude(again, outcome)
        #expect(try await harness.state(other) == second)
        #expect(try await harness.findings() == [])
    }

    /// Answers in turn to one delivery; each but the last leaves it open.
    @Test(arguments: [
        ([DeliveryOutcome.failure(.throttled, mayBeApplied: true), .failure(.notSent), .accepted], "delivered"),
        ([.failure(.throttled, mayBeApplied: true), .failure(.notSent), .failure(.rejected)], "held outcome_unknown"),
        ([.failure(.throttled, mayBeApplied: true), .tokenExpired], "held outcome_unknown"),
        ([.failure(.throttled), .failure(.notSent), .failure(.rejected)], "rejected refused_by_remote"),
        ([.failure(.stop, scope: .request), .failure(.notSent), .accepted], "delivered"),
        ([.failure(.stop, scope: .request), .failure(.stop, scope: .request), .accepted], "delivered"),
        ([.failure(.stop, scope: .request), .failure(.rejected)], "held outcome_unknown"),
        // What may have arrived stays so, whatever later attempts bring.
        ([.failure(.unknown), .failure(.notSent), .failure(.notSent), .failure(.rejected)], "held outcome_unknown"),
        ([.failure(.unknown), .failure(.stop), .failure(.stop), .failure(.rejected)], "held outcome_unknown"),
        (
            [.failure(.unknown), .failure(.throttled), .failure(.throttled), .failure(.rejected)],
            "held outcome_unknown"
        ),
        (
            [.failure(.unknown), .failure(.transient), .failure(.transient), .failure(.rejected)],
            "held outcome_unknown"
        ),
    ])
    func `an answer that does not prove the contrary keeps its delivery under one key`(
        outcomes: [DeliveryOutcome],
        end: String
    ) async throws {
        var (card, job) = try await harness.delivering("front", number: "N")
        let key = job.outbound.idempotencyKey
        for outcome in outcomes.dropLast() {
            try await harness.conclude(job, outcome)
            #expect(try await harness.state(card) == "delivering")
            job = try await harness.repeated()
            #expect(job.outbound.idempotencyKey == key)
        }
        try await harness.conclude(job, try #require(outcomes.last))
        #expect(try await harness.state(card) == end)
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: [
        DeliveryOutcome.failure(.unknown), .failure(.throttled, mayBeApplied: true),
        .failure(.stop, mayBeApplied: true),
    ])
    func `where an unknown outcome is held, every answer that does not prove the contrary holds the card`(
        outcome: DeliveryOutcome
    ) async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, outcome, onUnknown: .hold)
        #expect(try await harness.state(card) == "held outcome_unknown")
        #expect(try await harness.claimDeliveries().isEmpty)
    }

    @Test func `a document that a gateway always asks to wait ends as unknown once others pass`() async throws {
        var (card, job) = try await harness.delivering("front", number: "N")
        for round in 1...3 {
            try await harness.conclude(job, .failure(.throttled, mayBeApplied: true), maxAttempts: 2)
            guard round < 3 else { break }
            #expect(try await harness.state(card) == "delivering")
            harness.pass(.seconds(1))
            try await harness.sent("other \(round)", number: "M\(round)", .accepted)
            harness.pass(.seconds(1))
            job = try await harness.repeated()
        }
        #expect(try await harness.state(card) == "held outcome_unknown")
    }

    @Test(arguments: [
        // Another TOKEN or form is wanted: what may have been applied was refused once more, or never left.
        (DeliveryOutcome.failure(.stop, scope: .request), DeliveryOutcome.failure(.stop, scope: .request), "held"),
        (.failure(.stop, scope: .request), .accepted, "delivered"),
        (.failure(.notSent), .failure(.notSent), "verified"), (.failure(.unknown), .failure(.notSent), "delivering"),
    ])
    func `a delivery whose form would be another one now ends by what may have become of it`(
        before: DeliveryOutcome,
        outcome: DeliveryOutcome,
        end: String
    ) async throws {
        let card = try await harness.sent("front", number: "N", before)
        let job = try await harness.repeated()
        #expect(job.current.map(\.card) == [card])
        try await harness.conclude(job, outcome, isOutdated: true)
        #expect(try await harness.state(card) == (end == "held" ? "held outcome_unknown" : end))
        #expect(try await harness.findings() == [])
    }

    @Test func `a newer photo takes the place of one whose delivery never reached the backend`() async throws {
        let old = try await harness.sent("old", number: "N", .failure(.notSent))
        let new = try await harness.verified("new", number: "N", .front)
        #expect(try await harness.claimDeliveries().isEmpty)
        #expect(try await harness.begin().map(\.members) == [[new]])
        #expect(try await harness.state(old) == "superseded superseded")
    }

    @Test func `metadata amends a card whose delivery never reached the backend`() async throws {
        let card = try await harness.sent("front", number: "N", .failure(.notSent))
        try await harness.admit("front", number: "N") { $0.userNumber = Redacted("U-2") }
        #expect(try await harness.state(card) == "verified")
        #expect(try await harness.groups().joined().map { $0.userNumber?.reveal() } == ["U-2"])
        let other = try await harness.sent("other", number: "M", .failure(.unknown))
        try await harness.admit("other", number: "M") { $0.userNumber = Redacted("U-2") }
        #expect(try await harness.state(other) == "delivering")
    }

    private static func message(of state: CardState, _ card: CardID) -> String {
        guard state == .held else { return "it failed" }
        return """
            the backend may have the card; look in the backend; if the card is there, run: idcard-pipeline cards resolve \
            \(card.rawValue) --as delivered; if not, run the same command with --as anew, which sends the card under another key; cause: it failed
            """
    }

    @Test(arguments: [
        (DeliveryOutcome.accepted, CardState.delivered, FailureClass.accepted),
        (.items([.accepted(alreadyExisted: false, code: "000000")]), .delivered, .accepted),
        (.failure(.rejected), .rejected, .rejected), (.failure(.unknown), .held, .unknown),
    ])
    func `the end of a delivery is in the history of its card`(
        outcome: DeliveryOutcome,
        state: CardState,
        failureClass: FailureClass
    ) async throws {
        let (id, job) = try await harness.delivering("front", number: "N")
        harness.pass(.seconds(5))
        let changes = try await harness.conclude(job, outcome, onUnknown: .hold)
        #expect(changes == (try await harness.store.listings.status(of: [id])))
        let details = try await harness.store.listings.reveal(id, to: StoreHarness.person, now: harness.now)
        #expect(details.card.state == state && details.card.changedAt == harness.now)
        #expect(details.card.delivery == job.id)
        #expect(details.card.message?.text() == (state == .delivered ? nil : Self.message(of: state, id)))
        let event = try #require(details.steps.last)
        #expect(event.state == state && event.at == harness.now && event.message == details.card.message)
        #expect(event.code == (state == .delivered ? nil : "CODE"))
        let attempt = try #require(details.calls.last)
        #expect(attempt.stage == .deliver && attempt.failureClass == failureClass && attempt.at == harness.now)
        let last: SQL = "SELECT subject FROM attempt WHERE ended_at = \(harness.now) ORDER BY id DESC LIMIT 1"
        #expect(try await harness.value(last, as: String.self) == job.id.rawValue)
        #expect(attempt.code == (state == .delivered ? "000000" : "CODE"))
        #expect(try await harness.store.deliveries.nextDelivery(now: harness.now) == nil)
    }

    @Test(arguments: [true, false])
    func `under hold a person decides about what an ended process was sending`(wasKilled: Bool) async throws {
        let (card, _) = try await harness.delivering("front", number: "N")
        let ended = harness.worker
        harness.worker = try await harness.store.upkeep.startWorker(id: "second", command: "run", now: harness.now)
        if wasKilled {
            try FileManager.default.removeItem(atPath: "\(harness.folder)/workers/w1")
            try await harness.store.upkeep.heartbeat(of: harness.worker, onUnknown: .hold, now: harness.now)
        } else {
            try await harness.store.upkeep.stop(ended, onUnknown: .hold, now: harness.now)
        }
        #expect(try await harness.state(card) == "held outcome_unknown")
        #expect(try await harness.claimDeliveries().isEmpty)
        #expect(try await harness.findings() == [])
        try await harness.resolve(card, .resend)
        #expect(try await harness.claimDeliveries().map(\.members) == [[card]])
    }

    @Test func `several members that are refused as a whole go alone from then on`() async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .failure(.rejected))
        #expect(try await harness.state(front) == "verified")
        let alone = try await harness.begin(StoreHarness.together)
        #expect(alone.map(\.members) == [[front]])
        try await harness.conclude(alone[0], .accepted)
        #expect(try await harness.begin(StoreHarness.together).map(\.members) == [[back]])
    }

    @Test func `several members whose request others pass by go alone, and none fails for another`() async throws {
        let (front, back, job) = try await harness.joint()
        let stop = DeliveryOutcome.failure(.stop, scope: .request, mayBeApplied: false)
        try await harness.conclude(job, stop)
        let second = try await harness.repeated()
        #expect(second.outbound.idempotencyKey == job.outbound.idempotencyKey)
        harness.pass(.milliseconds(1))
        try await harness.sent("other", number: "M", .accepted)
        try await harness.conclude(second, stop)
        #expect(try await harness.state(front) == "verified")
        #expect(try await harness.begin(StoreHarness.together).map(\.members) == [[front]])
        #expect(try await harness.state(back) == "verified waits_for_front")
    }

    @Test(arguments: [
        (DeliveryItemOutcome.accepted(alreadyExisted: false, code: "0"), "delivered", "delivered"),
        (.rejected(.specimen(.rejected)), "rejected refused_by_remote", "held outcome_unknown"),
        (.rejected(.specimen(.rejected, isUnlisted: true)), "held retcode_unlisted", "held outcome_unknown"),
        (.notApplied(.specimen(.transient)), "verified", "held outcome_unknown"),
        (.unknown(.specimen(.unknown)), "held outcome_unknown", "held outcome_unknown"),
    ])
    func `a mixed reply ends each member by itself, and closes the delivery`(
        item: DeliveryItemOutcome,
        surely: String,
        perhaps: String
    ) async throws {
        for (number, after, mayBeApplied) in [("N", surely, false), ("M", perhaps, true)] {
            var (front, back, job) = try await harness.joint(number: number)
            if mayBeApplied {
                try await harness.conclude(job, .failure(.unknown))
                job = try await harness.repeated()
            }
            try await harness.conclude(job, .items([.accepted(alreadyExisted: false, code: "0"), item]))
            #expect(try await harness.state(front) == "delivered")
            #expect(try await harness.state(back) == after)
            #expect(try await harness.value("SELECT state FROM delivery WHERE id = \(job.id)") == "closed")
            #expect(try await harness.findings() == [])
        }
    }

    @Test func `a reply that leaves a member out leaves it to a person`() async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .items([.accepted(alreadyExisted: false, code: "0")]))
        #expect(try await harness.state(front) == "delivered")
        #expect(try await harness.state(back) == "held outcome_unknown")
        await #expect(throws: CodedError.self) { try await harness.retry(back) }
    }

    @Test(arguments: [true, false], [true, false])
    func `a member that leaves closes the delivery for the others`(mayBeApplied: Bool, byErasing: Bool) async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .failure(mayBeApplied ? .unknown : .transient))
        if byErasing { try await harness.erase(front) } else { try await harness.resolve(front, .reject) }
        #expect(try await harness.state(front) == (byErasing ? "erased requested" : "rejected rejected_by_operator"))
        if !mayBeApplied {
            #expect(try await harness.value("SELECT count(*) FROM delivery WHERE parts IS NOT NULL") == 0)
        }
        // A person who rejects it ends the case, but for what the backend may have.
        let unsent = byErasing ? "verified" : "rejected rejected_by_operator"
        #expect(try await harness.state(back) == (mayBeApplied ? "held outcome_unknown" : unsent))
        harness.pass(.seconds(60))
        #expect(try await harness.claimDeliveries().isEmpty)
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: [true, false])
    func `a delivery whose image does not open stops no other`(mayBeApplied: Bool) async throws {
        let (front, back, job) = try await harness.joint()
        let (sound, other) = try await harness.delivering("sound", number: "M")
        try await harness.conclude(job, .failure(mayBeApplied ? .unknown : .transient))
        try await harness.conclude(other, .failure(.unknown))
        try await harness.plant("UPDATE blob SET bytes = x'00' WHERE card = '\(front)' AND kind = 'image'")
        harness.pass(.seconds(1))
        #expect(try await harness.claimDeliveries().map(\.members) == [[sound]])
        let unknown = "held outcome_unknown"
        #expect(try await harness.state(front) == (mayBeApplied ? unknown : "failed stored_image_unreadable"))
        #expect(try await harness.state(back) == (mayBeApplied ? unknown : "verified"))
        #expect(try await harness.value("SELECT count(*) FROM attempt WHERE ended_at IS NULL") == 1)
    }

    @Test(arguments: [
        "UPDATE blob SET bytes = x'00'", "UPDATE card SET metadata = x'00'", "UPDATE card_key SET wrapped = x'00'",
        "UPDATE card_key SET key_id = 'none'",
    ])
    func `a damaged card that is to be delivered fails alone`(_ damage: String) async throws {
        let card = try await harness.verified("front", number: "N", .front)
        let sound = try await harness.verified("sound", number: "M", .front)
        try await harness.plant("\(damage) WHERE \(damage.contains("card SET") ? "id" : "card") = '\(card)'")
        #expect(try await harness.proposals() == [[card], [sound]])
        #expect(await code { try await harness.store.deliveries.material(for: [card]) } == .imageUnreadable)
        let failed = try await harness.store.deliveries.failForming([card, sound], because: nil, now: harness.now)
        #expect(failed.map(\.card) == [card] && failed[0].state == .failed)
        #expect(try await harness.proposals() == [[sound]])
        // Its photo comes again as a new card.
        let again = try await harness.admit("front", number: "N")
        #expect(!again.isDuplicate && again.card != card && again.state == .prepared)
    }

}
