import CardModel
import TestSupport
import Testing

@testable import CardStore

/// What a verdict makes of a card.
@Suite final class VerificationTests: StoreSuite {
    /// How a verification ends, and where its card stands then.
    struct Ending: Sendable {
        var side = CardSide.front
        /// `nil` if the service refuses the photo.
        var verdict: Verdict? = .accepted
        var warnings: [VerdictRule] = []
        let state: CardState
        var reason: ReasonCode?
    }

    private static let checksum = VerdictRule.numberChecksum.reason
    private static let unavailable = VerdictRule.legalityUnavailable.reason
    private static let endings = [
        Ending(side: .back, state: .verified), Ending(warnings: [.numberRegion, .legalityLow], state: .verified),
        Ending(
            verdict: .rejected(checksum, message: "words"),
            warnings: [.numberRegion],
            state: .rejected,
            reason: checksum
        ),
        Ending(verdict: .rejected(checksum, message: "words"), state: .rejected, reason: checksum),
        Ending(verdict: .held(unavailable, message: "words"), state: .held, reason: unavailable),
        Ending(verdict: nil, state: .rejected, reason: .refusedByRemote),
    ]

    private func conclude(_ job: VerificationJob, _ ending: Ending) async throws -> CardChange {
        guard let verdict = ending.verdict else { return try await harness.fail(job, .rejected) }
        let warnings = ending.warnings.map { VerdictFinding($0.reason, .warn, message: "a warning") }
        return try await harness.conclude(job, CardReading(side: ending.side), verdict, warnings: warnings)
    }

    @Test func `what a provider read is used again after another one has read`() async throws {
        let card = try await harness.admit("front", number: "N").card
        for (provider, paid) in [("one", true), ("two", true), ("one", false), ("two", false)] {
            let job = try #require(try await harness.claim(provider: provider).first)
            #expect((job.reading == nil) == paid)
            let reading = CardReading(side: .front, fields: CardFields(name: provider))
            let refusal = Verdict.rejected(.unsupportedFormat, message: "no")
            try await harness.conclude(job, reading, refusal, provider: provider)
            let shown = try await harness.store.listings.details(of: card, for: .process).reading?.fields.name?.reveal()
            #expect(shown == provider, "the card was judged by it last")
            try await harness.retry(card)
        }
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: endings)
    func `the end of a verification is what the card and its history say`(ending: Ending) async throws {
        let (id, first) = try await harness.verifying("front", number: "N")
        try await harness.fail(first)
        harness.pass(.seconds(1))
        let job = try #require(try await harness.claim().first)
        let change = try await conclude(job, ending)
        let details = try await harness.store.listings.reveal(id, to: StoreHarness.person, now: harness.now)
        #expect(change.state == ending.state && change.reason == ending.reason)
        #expect(details.card.state == ending.state && details.card.reason == ending.reason)
        #expect(details.card.message == (ending.reason == nil ? nil : ending.verdict == nil ? "it failed" : "words"))
        #expect(details.card.remoteCode == (ending.verdict == nil ? "CODE" : nil))
        #expect(details.card.side == (ending.verdict == nil ? nil : ending.side))
        #expect(details.reading?.side == details.card.side)
        #expect(details.card.failures == 0 && details.card.due == nil && details.card.changedAt == harness.now)
        let warnings = ending.warnings.map { (reason: Optional($0.reason), message: Optional<Message>("a warning")) }
        let history = [(nil, nil), (ending.reason, details.card.message)] + warnings
        let codes = history.map { $0.0 == ending.reason ? details.card.remoteCode ?? $0.0?.rawValue : $0.0?.rawValue }
        let reasons = try await harness.store.database.read { tx in
            try tx.values("SELECT reason FROM event WHERE card = \(id) ORDER BY id", as: ReasonCode?.self)
        }
        #expect(reasons == history.map(\.0))
        #expect(details.steps.map(\.code) == codes)
        #expect(details.steps.map(\.message) == history.map(\.1))
        #expect(details.steps.dropFirst().allSatisfy { $0.state == ending.state && $0.at == harness.now })
        let classes: [FailureClass] = [.transient, ending.verdict == nil ? .rejected : .accepted]
        #expect(details.calls.map(\.failureClass) == classes)
        #expect(try await harness.claim().isEmpty)
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: endings)
    func `a card that was judged is not judged once more by the same call`(ending: Ending) async throws {
        let (id, job) = try await harness.verifying("front", number: "N")
        try await harness.conclude(job, side: .front, number: nil)
        let before = try await harness.card(id)
        harness.pass(.seconds(1))
        #expect(try await conclude(job, ending).state == .verified)
        #expect(try await harness.card(id) == before)
        #expect(try await harness.value("SELECT count(*) FROM event", as: Int.self) == 2)
    }

    @Test func `a number is one person's however it is written`() async throws {
        _ = try await harness.verified("one", number: "N", .front, holder: "11010519491231002X")
        let two = try await harness.verified("two", number: "N", .front, holder: " 11010519491231002ｘ")
        let three = try await harness.verified("three", number: "N", .front, holder: "110105491231002")
        #expect(try await harness.proposals() == [[three]])
        #expect(try await harness.value("SELECT disputed FROM cases", as: Bool.self) == false)
        #expect(try await harness.state(two) == "verified")
    }

    @Test func `the next verification is due when the first card is that nobody verifies`() async throws {
        #expect(try await harness.store.stages.nextDue(in: .prepared, now: harness.now) == nil)
        try await harness.admit("front", number: "N")
        #expect(try #require(try await harness.store.stages.nextDue(in: .prepared, now: harness.now)) <= harness.now)
        let job = try #require(try await harness.claim().first)
        #expect(try await harness.store.stages.nextDue(in: .prepared, now: harness.now) == nil)
        try await harness.fail(job, delay: .seconds(60))
        let later = harness.now.advanced(by: .seconds(60))
        #expect(try await harness.store.stages.nextDue(in: .prepared, now: harness.now) == later)
        harness.pass(.seconds(59))
        #expect(try await harness.claim().isEmpty)
        try await harness.admit("back", number: "N")
        #expect(try #require(try await harness.store.stages.nextDue(in: .prepared, now: harness.now)) <= harness.now)
    }
}
