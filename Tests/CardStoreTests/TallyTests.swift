import CardModel
import TestSupport
import Testing

@testable import CardStore

/// Figures over time: each step of a card counts once.
@Suite final class TallyTests: StoreSuite {
    private func move(_ card: CardID, _ transition: Transition) async throws {
        let store = harness.store
        try await store.write(at: harness.now) { tx in
            try store.records.move(CardRow.require(card, in: tx), transition, in: tx)
        }
    }

    private func plant(_ state: String, reason: String = "", cards: Int = 1, at time: Timestamp) async throws {
        let minute = time.millisecondsSinceEpoch / 60_000
        try await harness.plant("INSERT INTO tally VALUES (\(minute), '\(state)', '\(reason)', \(cards))")
    }

    // MARK: Folding

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `the figures are a count over the events, whoever folds, and how often`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var cards: [CardID] = []
        let (store, other) = (harness.store, try await harness.another())
        let transitions = [
            Transition(.prepared), Transition(.verified), Transition(.verified, .frontMissing), Transition(.delivered),
            Transition(.held, .holderConflict), Transition(.held, .submitterConflict),
            Transition(.failed, .attemptsExhausted), Transition(.rejected, VerdictRule.legalityLow.reason),
        ]
        for _ in 0..<12 {
            for _ in 0..<20 {
                harness.pass(.milliseconds(Int.random(in: 0...40_000, using: &random)))
                if cards.isEmpty || Int.random(in: 0..<5, using: &random) == 0 {
                    cards.append(try await harness.admit("\(cards.count)", number: "N\(cards.count)").card)
                }
                let card = try #require(cards.randomElement(using: &random))
                try await self.move(card, try #require(transitions.randomElement(using: &random)))
            }
            let (limit, now) = (Int.random(in: 1...15, using: &random), harness.now)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for process in [store, other, store, other] {
                    tasks.addTask { _ = try await process.upkeep.foldTally(limit: limit, now: now) }
                }
                try await tasks.waitForAll()
            }
        }
        try await harness.foldAll()
        let steps = try await harness.steps()
        #expect(steps.count > 50)
        #expect(try await harness.tally() == steps)
        try other.close()
    }

    @Test func `two processes that begin to fold the same events add them once`() async throws {
        for number in 0..<40 { try await harness.admit("\(number)", number: "N\(number)") }
        let other = try await harness.another()
        let (store, now) = (harness.store, harness.now)
        for _ in 0..<20 {
            async let one = store.upkeep.foldTally(limit: 2, now: now)
            async let two = other.upkeep.foldTally(limit: 2, now: now)
            _ = try await (one, two)
        }
        try await harness.foldAll()
        #expect(try await harness.tally().values.sorted() == [40, 40])
        try other.close()
    }

    @Test func `a warning, a new reason, and a step that leads where the card stands are no step`() async throws {
        let (card, job) = try await harness.verifying("back", number: "N")
        let warning = VerdictFinding(VerdictRule.numberRegion.reason, .warn, message: "a warning")
        try await harness.conclude(job, CardReading(side: .back, fields: CardFields()), warnings: [warning])
        _ = try await harness.begin()
        #expect(try await harness.state(card) == "verified front_missing")
        try await harness.foldAll()
        #expect(try await harness.value("SELECT count(*) FROM event", as: Int.self) == 4)
        let words = try await harness.tally().map { "\($0.key.state) \($0.key.reason) \($0.value)" }.sorted()
        #expect(words == ["admitted  1", "prepared  1", "verified  1"])
    }

    @Test func `so many events are folded at a time, and nothing is written where there are none`() async throws {
        for number in 0..<6 { try await harness.admit("\(number)", number: "N\(number)") }
        #expect(try await harness.store.upkeep.foldTally(limit: 4, now: harness.now))
        #expect(try await !harness.store.upkeep.foldTally(limit: 4, now: harness.now))
        let commits = try await CommitCount(of: harness.store)
        #expect(try await !harness.store.upkeep.foldTally(limit: 4, now: harness.now))
        #expect(commits.value == 0)
    }

    @Test func `minutes of more than eight days ago go, and old events do not come back`() async throws {
        try await harness.admit("old", number: "O")
        harness.pass(.seconds(8 * 86_400 + 60))
        try await harness.admit("kept", number: "K")
        try await harness.foldAll()
        let minute = harness.now.millisecondsSinceEpoch / 60_000
        #expect(Set(try await harness.tally().keys.map(\.minute)) == [minute])
        harness.pass(.seconds(8 * 86_400))
        try await harness.admit("on the edge", number: "E")
        try await harness.foldAll()
        #expect(Set(try await harness.tally().keys.map(\.minute)) == [minute, minute + 8 * 1_440])
        harness.pass(.seconds(60))
        try await harness.admit("after", number: "A")
        try await harness.foldAll()
        #expect(try await !harness.tally().keys.map(\.minute).contains(minute))
    }

    @Test func `what was folded stays when its card is erased, and a tombstone is no new card`() async throws {
        let card = try await harness.sent("front", number: "N", .accepted)
        try await harness.foldAll()
        try await harness.erase(card)
        let unseen = try await harness.admit("other", number: "M").card
        try await harness.erase(unseen)
        try await harness.foldAll()
        let tally = try await harness.tally()
        func sum(_ state: String) -> Int { tally.filter { $0.key.state == state }.values.reduce(0, +) }
        #expect(["admitted", "delivered", "erased"].map(sum) == [1, 1, 2])
    }

    @Test(arguments: [0, 3, 1_000])
    func `after a restore each event that is there counts once`(folded: Int) async throws {
        let scene = try await RestoreScene()
        _ = try await scene.harness.store.upkeep.foldTally(limit: max(folded, 1), now: scene.harness.now)
        if folded > 0 { try await scene.backUpAgain() }
        for number in 1...20 { try await scene.harness.admit("later \(number)", number: "L\(number)") }
        try await scene.harness.foldAll()
        try await scene.closeAndRestore()
        try await scene.harness.foldAll()
        #expect(try await scene.harness.tally() == scene.harness.steps())
        let end = try await scene.harness.value("SELECT max(id) FROM event", as: Int.self)
        #expect(try await scene.harness.value("SELECT tallied FROM store") == end)
        // What comes then is folded, too.
        try await scene.harness.admit("new", number: "NEW")
        try await scene.harness.foldAll()
        #expect(try await scene.harness.tally() == scene.harness.steps())
    }

    // MARK: Spans

    @Test(arguments: [(ThroughputSpan.hour, 60, 1), (.day, 96, 15), (.week, 84, 120)])
    func
        `a span ends with the bucket of now, and counts from the first minute of its first bucket to the last of its last`(
            span: ThroughputSpan,
            count: Int,
            minutes: Int
        ) async throws
    {
        let figures = try await harness.store.listings.throughput(span, now: harness.now)
        let (first, last) = (figures.starts[0], try #require(figures.starts.last))
        let width = Duration.seconds(60 * minutes)
        #expect(
            figures.starts.count == count
                && zip(figures.starts, figures.starts.dropFirst()).allSatisfy { $1.duration(since: $0) == width }
        )
        #expect(last <= harness.now && harness.now < last.advanced(by: width))
        #expect(last.millisecondsSinceEpoch % (60_000 * Int64(minutes)) == 0)
        try await self.plant("delivered", cards: 100, at: first.advanced(by: .seconds(-60)))
        try await self.plant("delivered", cards: 1, at: first)
        try await self.plant("delivered", reason: "other", cards: 2, at: first.advanced(by: width - .seconds(60)))
        try await self.plant("verified", cards: 3, at: last)
        try await self.plant("admitted", cards: 4, at: last.advanced(by: width - .seconds(60)))
        try await self.plant("admitted", cards: 1_000, at: last.advanced(by: width))
        try await self.plant("prepared", cards: 1_000, at: last)
        let counted = try await harness.store.listings.throughput(span, now: harness.now)
        #expect(counted.delivered[0] == 3 && counted.delivered.reduce(0, +) == 3)
        #expect(counted.verified.last == 3 && counted.verified.reduce(0, +) == 3)
        #expect(counted.admitted.last == 4 && counted.admitted.reduce(0, +) == 4)
        #expect(counted.refusals.isEmpty)
    }

    @Test func `the six most frequent reasons are told, and all others together`() async throws {
        let before = harness.now.advanced(by: .seconds(-120))
        for (index, reason) in ["a", "b", "c", "d", "e", "f", "g", "h"].enumerated() {
            try await self.plant(
                ["held", "failed", "rejected"][index % 3],
                reason: reason,
                cards: 10 - index,
                at: before
            )
        }
        // One reason over three states and two minutes.
        try await self.plant("held", reason: "g", cards: 5, at: harness.now)
        try await self.plant("failed", reason: "g", cards: 6, at: harness.now)
        let refusals = try await harness.store.listings.throughput(.hour, now: harness.now).refusals
        #expect(refusals.map { $0.reason?.rawValue } == ["g", "a", "b", "c", "d", "e", nil])
        #expect(refusals.map { $0.cards.reduce(0, +) } == [15, 10, 9, 8, 7, 6, 8])
        #expect(refusals[0].cards.suffix(3) == [4, 0, 11] && refusals[6].cards.suffix(3) == [8, 0, 0])
    }
}

extension StoreHarness {
    struct Step: Hashable {
        var minute: Int64
        var state: String
        var reason: String
    }

    func tally() async throws -> [Step: Int] {
        try await self.store.read { tx in
            let rows = try tx.rows("SELECT minute, state, reason, cards FROM tally") { row in
                (
                    Step(minute: try row.next(), state: try row.next(), reason: try row.next()),
                    try row.next(Int.self)
                )
            }
            return Dictionary(uniqueKeysWithValues: rows)
        }
    }

    /// The same, counted over all events one by one.
    func steps() async throws -> [Step: Int] {
        let events = try await self.store.read { tx in
            try tx.rows("SELECT card, at, state, reason FROM event ORDER BY id") { row in
                (
                    card: try row.next(String.self), minute: try row.next(Int64.self) / 60_000,
                    state: try row.next(String.self), reason: try row.next(String?.self) ?? ""
                )
            }
        }
        var states: [String: String] = [:]
        var steps: [Step: Int] = [:]
        for event in events {
            let before = states.updateValue(event.state, forKey: event.card)
            guard before != event.state else { continue }
            steps[Step(minute: event.minute, state: event.state, reason: event.reason), default: 0] += 1
            guard before == nil, event.state != "erased" else { continue }
            steps[Step(minute: event.minute, state: "admitted", reason: ""), default: 0] += 1
        }
        return steps
    }

    func foldAll() async throws {
        while try await self.store.upkeep.foldTally(now: self.now) {}
    }
}
