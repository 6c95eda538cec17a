import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// What was written while a clock was ahead holds nobody once it is right again.
@Suite final class ClockTests: StoreSuite {
    private static let errors: [Duration] = [.seconds(600), .seconds(10 * 3_600), .seconds(365 * 86_400)]

    /// Does something while the clock is ahead.
    private func ahead<Value>(by error: Duration, _ body: () async throws -> Value) async throws -> Value {
        harness.pass(error)
        let value = try await body()
        harness.pass(.zero - error)
        return value
    }

    @Test(arguments: Self.errors)
    func `a number that was to be decided at once is`(_ error: Duration) async throws {
        let front = try await ahead(by: error) { try await harness.verified("front", number: "N", .front) }
        #expect(try await harness.proposals() == [[front]])
        #expect(try #require(try await harness.store.deliveries.nextDecision(now: harness.now)) <= harness.now)
    }

    @Test(arguments: Self.errors, [false, true])
    func `a photo does not wait for its other side, although heartbeats have put its dates right`(
        _ error: Duration,
        beats: Bool
    ) async throws {
        let front = try await ahead(by: error) {
            if beats { try await harness.store.upkeep.heartbeat(of: harness.worker, now: harness.now) }
            let front = try await harness.verified("front", number: "N", .front, wait: .seconds(60))
            #expect(try await harness.begin(StoreHarness.together).isEmpty)
            return front
        }
        if beats { try await harness.store.upkeep.heartbeat(of: harness.worker, now: harness.now) }
        #expect(try await harness.begin(StoreHarness.together).map(\.members) == [[front]])
    }

    @Test func `a clock that is put right by seconds ends no wait for the other side`() async throws {
        let front = try await harness.verified("front", number: "N", .front, wait: .seconds(60))
        harness.pass(.seconds(-3))
        #expect(try await harness.begin(StoreHarness.together).isEmpty)
        harness.pass(.seconds(63))
        #expect(try await harness.begin(StoreHarness.together).map(\.members) == [[front]])
    }

    @Test(arguments: Self.errors)
    func `a card whose verification failed is tried again`(_ error: Duration) async throws {
        let card = try await harness.admit("front", number: "N").card
        try await ahead(by: error) {
            try await harness.fail(#require(try await harness.claim().first), delay: .seconds(30))
            #expect(try await harness.claim().isEmpty)
        }
        #expect(try await harness.claim().map(\.card.id) == [card])
    }

    @Test func `a clock that is put right by seconds ends no wait for the next attempt`() async throws {
        _ = try await harness.admit("front", number: "N")
        try await harness.fail(#require(try await harness.claim().first), delay: .seconds(30))
        harness.pass(.seconds(-3))
        #expect(try await harness.claim().isEmpty)
        harness.pass(.seconds(33))
        #expect(try await harness.claim().count == 1)
    }

    @Test func `an unreadable answer of a moment ago, by another clock, is not passed by what came before it`()
        async throws
    {
        _ = try await harness.sent("front", number: "M", .accepted)
        let card = try await harness.admit("other", number: "N").card
        for (ahead, count) in [(3, 1), (86_400, 0)] {
            let time = harness.now.advanced(by: .seconds(ahead)).millisecondsSinceEpoch
            try await harness.plant("UPDATE card SET unreadable = 1, failed_at = \(time) WHERE id = '\(card)'")
            #expect(try await harness.store.endpoints.unreadableNumbers(.verify, now: harness.now) == count)
        }
    }

    @Test(arguments: Self.errors)
    func `a delivery that failed is sent again`(_ error: Duration) async throws {
        let (card, job) = try await harness.delivering("front", number: "N")
        try await ahead(by: error) {
            try await harness.conclude(job, .failure(.unknown))
            #expect(try await harness.claimDeliveries().isEmpty)
        }
        #expect(try await harness.claimDeliveries().map(\.members) == [[card]])
    }

    @Test(arguments: Self.errors)
    func `a member that was sent away for now goes again`(_ error: Duration) async throws {
        let (_, back, job) = try await harness.joint()
        try await ahead(by: error) {
            let later = DeliveryItemOutcome.notApplied(.specimen(.transient))
            try await harness.conclude(job, .items([.accepted(alreadyExisted: false, code: "0"), later]))
            #expect(try await harness.begin(StoreHarness.together).isEmpty)
        }
        #expect(try await harness.begin(StoreHarness.together).map(\.members) == [[back]])
    }

    @Test func `what the endpoint took while the clock was ahead does not make an outage count`() async throws {
        try await ahead(by: .seconds(3_600)) {
            let (_, job) = try await harness.delivering("other", number: "M")
            try await harness.conclude(job, .accepted)
        }
        var (card, job) = try await harness.delivering("front", number: "N")
        for _ in 0..<4 {
            try await harness.conclude(job, .failure(.transient), maxAttempts: 1)
            #expect(try await harness.state(card) == "delivering")
            job = try await harness.repeated()
        }
    }

    // MARK: Retention

    private static let sinceTheEpoch = Duration.milliseconds(1_700_000_000_000)

    /// Passes so many hours, with a heartbeat at their begin and end.
    private func run(hours: Int) async throws {
        try await harness.store.upkeep.heartbeat(of: harness.worker, now: harness.now)
        harness.pass(.seconds(hours * 3_600))
        try await harness.store.upkeep.heartbeat(of: harness.worker, now: harness.now)
    }

    private func delivered(_ number: String) async throws -> CardID {
        try await harness.sent("front \(number)", number: number, .accepted)
    }

    private func erased(afterDays days: Int = 30, clockIsRight: Bool = false) async throws -> [CardID] {
        var terms = RetentionTerms()
        terms.delivered = .seconds(days * 86_400)
        return try await harness.eraseExpired(terms, clockIsRight: clockIsRight)
    }

    @Test(arguments: [.seconds(2 * 365 * 86_400), Self.sinceTheEpoch], [0, 2, 21])
    func `what changes while a clock is behind does not expire when the clock is right again`(
        _ error: Duration,
        hours: Int
    ) async throws {
        // In use before, as its rows show.
        try await harness.admit("earlier", number: "E")
        try await run(hours: 1)
        harness.pass(.zero - error)
        if hours > 0 { try await run(hours: hours) }
        let card = try await delivered("N")
        harness.pass(error)
        #expect(try await erased(clockIsRight: true) == [])
        try await run(hours: 21)
        #expect(try await erased() == [])
        for _ in 0..<30 { try await run(hours: 24) }
        #expect(try await erased() == [card])
    }

    @Test func `cards of a sandbox that was made under a clock behind do not expire when it is right`() async throws {
        harness.pass(.zero - Self.sinceTheEpoch)
        try await run(hours: 21)
        let card = try await delivered("N")
        harness.pass(Self.sinceTheEpoch)
        try await run(hours: 21)
        #expect(try await erased() == [])
        for _ in 0..<30 { try await run(hours: 24) }
        #expect(try await erased() == [card])
    }

    @Test func `a clock that is put right dates cards in portions, and erases none before the last`() async throws {
        let count = Limits.cardsPerDating + 1
        let id = try await delivered("N")
        try await harness.plant(
            """
            INSERT INTO card (id, state, number, submitter, sent_by, intake_order, priority, reason, waits_until, created_at, changed_at)
            WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < \(98 + count))
            SELECT 'p' || i, 'rejected', 'N', 'local', 'local', i, 0, 'x', 0, 0, 4000000000000 FROM n
            """
        )
        // A clock that was ahead when they changed.
        try await harness.plant("UPDATE store SET seen_at = 4000000000000")
        let now = harness.now
        try await harness.store.database.write(at: now) { tx in
            _ = try tx.run("UPDATE store SET doubted_since = 0, doubted_until = \(now)")
        }
        try await harness.store.upkeep.recordClock(harness.now)
        let ahead: SQL = "SELECT count(*) FROM card WHERE changed_at > \(harness.now)"
        #expect(try await harness.value(ahead, as: Int.self) == 0)
        #expect(try await harness.value("SELECT seen_at FROM store", as: Timestamp.self) == harness.now)
        #expect(try await harness.state(id) == "delivered")
    }

    /// What happens in a sandbox whose cards are kept for some days.
    enum Step: Sendable {
        case run(hours: Int)
        case pass(days: Int)
        case deliver
        /// Days, each of which begins and ends with a heartbeat.
        case use(days: Int)
    }

    private static let histories: [(steps: [Step], keptDays: Int, more: Int)] = [
        // Changed while a clock was ahead, and just after.
        (
            [.pass(days: 730), .run(hours: 21), .deliver, .pass(days: -730), .run(hours: 2), .deliver, .use(days: 29)],
            30, 3
        ),
        // A clock that goes back by days and forth again makes no card older.
        ([.deliver, .run(hours: 1), .pass(days: -6), .run(hours: 1), .pass(days: 6)], 5, 5),
        // Changed while a clock is ahead for some hours.
        ([.run(hours: 1), .pass(days: 3_650), .run(hours: 2), .deliver, .pass(days: -3_650), .use(days: 29)], 30, 2),
    ]

    @Test(arguments: histories)
    func `what changes under a wrong clock expires in its time`(steps: [Step], keptDays: Int, more: Int) async throws {
        var cards: Set<CardID> = []
        for step in steps {
            switch step {
            case .run(let hours): try await run(hours: hours)
            case .pass(let days): harness.pass(.seconds(days * 86_400))
            case .deliver: cards.insert(try await delivered("N\(cards.count)"))
            case .use(let days): for _ in 0..<days { try await run(hours: 24) }
            }
        }
        #expect(try await erased(afterDays: keptDays) == [])
        for _ in 0..<more { try await run(hours: 24) }
        #expect(Set(try await erased(afterDays: keptDays)) == cards)
    }

    @Test func `cards of a sandbox that is used once a quarter expire`() async throws {
        let card = try await delivered("N")
        try await run(hours: 1)
        harness.pass(.seconds(90 * 86_400))
        try await run(hours: 21)
        #expect(try await erased() == [card])
    }
}
