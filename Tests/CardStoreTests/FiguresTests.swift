import CardModel
import TestSupport
import Testing

@testable import CardStore

/// What is wrong, and the figures of a sandbox.
@Suite final class FiguresTests: StoreSuite {
    private func pause(_ failureClass: FailureClass, _ stage: Stage, host: String) async throws {
        let failure = RemoteFailure(failureClass, code: "CODE_\(failureClass)", message: "set the TOKEN")
        let wait = Wait(from: harness.now, until: harness.now)
        try await harness.store.endpoints.pause(
            EndpointPause(stage: stage, host: host, after: failure, since: harness.now, wait: wait)
        )
    }

    @Test func `troubles come by urgency and age; an endpoint that asked for a slower pace needs nobody`() async throws
    {
        #expect(try await harness.store.listings.issues(.ample, now: harness.now).isEmpty)
        try await self.pause(.throttled, .verify, host: "v:443")
        let asked = try await harness.store.listings.issues(.ample, now: harness.now)
        #expect(asked.map(\.severity) == [.ok])
        // Until when, and what ends it.
        #expect(asked[0].message.text().contains("it is called again at "), "\(asked[0].message)")
        #expect(asked[0].message.text().hasSuffix("to call it now: idcard-pipeline resume verifier"))
        _ = try await harness.judged("front", .rejected(VerdictRule.legalityLow.reason, message: "no"))
        let rejectedAt = harness.now.description
        harness.pass(.seconds(1))
        try await self.pause(.stop, .deliver, host: "b:443")
        let pausedAt = harness.now
        let issues = try await harness.store.listings.issues(.noIntake, now: harness.now)
        #expect(issues.map(\.subject) == [.disk, .endpoint, .cases, .endpoint])
        #expect(issues.map(\.severity) == [.critical, .critical, .warning, .ok])
        #expect(issues.map(\.code) == ["disk_space_low", "CODE_stop", "legality_low", "CODE_throttled"])
        #expect(issues.map(\.since) == [nil, pausedAt.description, rejectedAt, rejectedAt])
        #expect(
            issues[1].message.text() == "deliver b:443 stopped since \(pausedAt.local) (CODE_stop): set the TOKEN"
        )
        #expect(issues[2].message.text().hasSuffix("show what to do: idcard-pipeline cases list --state retake"))
        harness.pass(.seconds(121))
        let hanging = try await harness.store.listings.issues(.ample, now: harness.now)
        #expect(hanging.first?.code == "process_hangs" && hanging.first?.severity == .critical)
    }

    @Test func `a stage that stands still is told while its process lives and says so`() async throws {
        let since = harness.now
        let standstill = StageStandstill(stage: .deliver, since: since)
        try await harness.store.upkeep.heartbeat(of: harness.worker, standstill: standstill, now: harness.now)
        let issue = try #require(try await harness.store.listings.issues(.ample, now: harness.now).first)
        #expect(issue.severity == .critical && issue.stage == .deliver && issue.code == "standstill")
        #expect(issue.since == since.description && issue.message.text().contains("restart it"))
        try await harness.store.upkeep.heartbeat(of: harness.worker, now: harness.now)
        #expect(try await harness.store.listings.issues(.ample, now: harness.now).isEmpty)
        try await harness.store.upkeep.heartbeat(of: harness.worker, standstill: standstill, now: harness.now)
        harness.worker.release()
        #expect(try await harness.store.listings.issues(.ample, now: harness.now).isEmpty)
    }

    @Test func `a card counts in each state that it came to, whoever moved it, also when it is erased`() async throws {
        let card = try await harness.sent("front", number: "N", .accepted)
        try await harness.erase(card)
        let other = try await harness.another()
        _ = try await other.intake.admit([harness.photo("back", number: "M")], now: harness.now)
        try other.close()
        let cards = try await harness.store.listings.metrics(now: harness.now).cards
        #expect(cards[.delivered]?.now == 0 && cards[.delivered]?.entered == 1)
        #expect(cards[.erased]?.now == 1 && cards[.erased]?.entered == 1)
        #expect(cards[.prepared]?.now == 1 && cards[.prepared]?.entered == 2)
    }

    @Test func `figures tell what needs a person, what is oldest in each stage, and the last success`() async throws {
        #expect(try await harness.store.listings.metrics(now: harness.now).oldest.isEmpty)
        _ = try await harness.sent("front", number: "N", .accepted)
        let delivered = harness.now
        harness.pass(.seconds(5))
        let oldest = harness.now
        _ = try await harness.admit("older", number: "A")
        harness.pass(.seconds(5))
        _ = try await harness.admit("newer", number: "B")
        try await harness.plant(
            "UPDATE card SET state = 'failed', reason = 'attempts_exhausted' WHERE number = 'B'"
        )
        let figures = try await harness.store.listings.metrics(now: harness.now)
        #expect(figures.attention == [.attemptsExhausted: 1])
        #expect(figures.oldest == [.verify: oldest])
        #expect(figures.lastSuccess[.deliver] == delivered && figures.lastSuccess[.verify] == delivered)
        #expect(figures.lastSuccess[.fetch] == nil)
        // They were dated by a clock that was ahead.
        let early = try await harness.store.listings.metrics(now: delivered.advanced(by: .milliseconds(-1)))
        #expect(early.lastSuccess.isEmpty)
        for card in try await harness.store.listings.cards(CardFilter(), after: 0, limit: 10, for: .process) {
            try await harness.erase(card.id)
        }
        #expect(try await harness.store.listings.metrics(now: harness.now).lastSuccess == figures.lastSuccess)
    }

    @Test func `a card that was tried again does not hide one that is there for longer`() async throws {
        for number in ["retried", "waiting"] { try await harness.admit(number, number: number) }
        let since = harness.now
        harness.pass(.seconds(5))
        try await harness.plant(
            "UPDATE card SET state = 'failed', reason = 'attempts_exhausted' WHERE number = 'retried'"
        )
        let retried = try #require(
            try await harness.value("SELECT id FROM card WHERE number = 'retried'", as: CardID.self)
        )
        try await harness.retry(retried)
        #expect(try await harness.store.listings.metrics(now: harness.now).oldest == [.verify: since])
    }

    @Test func `a card that waits for a person makes no stage old`() async throws {
        let (card, _) = try await harness.verifying("back", number: "N")
        try await harness.plant("UPDATE card SET state = 'verified', worker = NULL, reason = 'front_missing'")
        let figures = try await harness.store.listings.metrics(now: harness.now)
        #expect(figures.oldest.isEmpty && figures.attention == [.frontMissing: 1], "\(card)")
    }
}
