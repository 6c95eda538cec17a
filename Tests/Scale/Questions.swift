import CardModel
import CardStore

/// What is measured: its name, and what is done.
typealias Step = (name: String, body: () async throws -> Void)

// What people and other programs ask: nothing is changed.
extension Filling {
    private static let day: Int64 = 86_400_000

    func questions() async throws -> [Step] {
        let lastEvent = try await self.store.listings.lastEvent()
        let card = try await self.store.listings.cards(
            CardFilter(),
            after: Int64(self.count / 2),
            limit: 1,
            for: .process
        )[0]
        let number = card.metadata.businessNumber
        return self.cardLists + self.cards(of: number) + self.caseLists(with: number) + self.caseCounts
            + self.changes(upTo: lastEvent)
            + self.accessLines(of: card.id) + self.review + self.cards(like: card) + self.reports
    }

    private func cards(
        _ name: String,
        after last: Int64? = nil,
        newestFirst: Bool = false,
        for caller: Caller = .process,
        _ change: (inout CardFilter) -> Void = { _ in }
    ) -> Step {
        var filter = CardFilter()
        change(&filter)
        return (
            "cards: \(name)",
            { [store, filter] in
                _ = try await store.listings.cards(
                    filter,
                    after: last,
                    newestFirst: newestFirst,
                    limit: 100,
                    for: caller
                )
            }
        )
    }

    private var cardLists: [Step] {
        [
            self.cards("all"), self.cards("all, a later page", after: Int64(self.count / 2)),
            self.cards("all, newest first", newestFirst: true),
            self.cards("held") { $0.states = [.held] },
            self.cards("rejected or failed, newest first", newestFirst: true) { $0.states = [.rejected, .failed] },
            self.cards("a frequent reason") { $0.reason = "too_many_attempts" },
            self.cards("a reason of none") { $0.reason = "no_such_reason" },
            self.cards("held for a frequent reason") { ($0.states, $0.reason) = ([.held], "too_many_attempts") },
            self.cards("attention: decide") { $0.attention = [.decide] },
            self.cards("attention: retake") { $0.attention = [.retake] },
            self.cards("attention: any") { $0.attention = CardAttention.allCases },
            self.cards("attention: any, newest first", newestFirst: true) { $0.attention = CardAttention.allCases },
            self.cards("failed, attention: any") { ($0.states, $0.attention) = ([.failed], CardAttention.allCases) },
            self.cards("a submitter's") { $0.submitter = "sender-3" },
            self.cards("a submitter's, held") { ($0.submitter, $0.states) = ("sender-3", [.held]) },
            self.cards("a submitter's, a frequent reason") {
                ($0.submitter, $0.reason) = ("sender-3", "too_many_attempts")
            },
            self.cards("a submitter's, attention: any") {
                ($0.submitter, $0.attention) = ("sender-3", CardAttention.allCases)
            },
            self.cards("no one's", for: Caller(subject: "unknown", scopes: [])),
        ]
    }

    private func cards(of one: BusinessNumber) -> [Step] {
        let busy = BusinessNumber(stored: Self.busy)
        let store = self.store
        return [
            self.cards("a number") { $0.number = one }, self.cards("the busy number") { $0.number = busy },
            self.cards("the busy number, newest first", newestFirst: true) { $0.number = busy },
            self.cards("the busy number, held") { ($0.number, $0.states) = (busy, [.held]) },
            self.cards("the busy number, attention: any") {
                ($0.number, $0.attention) = (busy, CardAttention.allCases)
            },
            ("cards of a case", { _ = try await store.listings.caseCards(of: one, for: .process) }),
            ("cards of the busy case", { _ = try await store.listings.caseCards(of: busy, for: .process) }),
        ]
    }

    private func cases(
        _ name: String,
        for caller: Caller = .process,
        _ change: (inout CaseFilter) -> Void = { _ in }
    ) -> Step {
        var filter = CaseFilter()
        change(&filter)
        return (
            "cases: \(name)",
            { [store, filter] in _ = try await store.listings.cases(filter, after: nil, limit: 100, for: caller) }
        )
    }

    private func caseLists(with number: BusinessNumber) -> [Step] {
        let recent = Timestamp(millisecondsSinceEpoch: Timestamp.now.millisecondsSinceEpoch - 30 * Self.day)
        let own = Caller(subject: "sender-3", scopes: [])
        return [self.cases("all")]
            + CaseState.allCases.map { state in self.cases(state.rawValue) { $0.states = [state] } }
            + [
                self.cases("of the last month") { $0.since = recent },
                self.cases("complete in the last month") { ($0.states, $0.since) = ([.complete], recent) },
                self.cases("a number") { $0.number = number },
                self.cases("the busy number") { $0.number = BusinessNumber(stored: Self.busy) },
                self.cases("a submitter's", for: own),
                self.cases("a submitter's, complete", for: own) { $0.states = [.complete] },
            ]
    }

    private var caseCounts: [Step] {
        let store = self.store
        let numbers = Set((1...1_000).map { BusinessNumber(stored: "CASE-\(self.count / 5 + $0)") })
        return [
            ("counts of cases", { _ = try await store.listings.caseCounts() }),
            ("counts of cases that need a person", { _ = try await store.listings.caseCounts(needingPerson: true) }),
            ("count of a thousand numbers", { _ = try await store.listings.count(of: .complete, among: numbers) }),
        ]
    }

    private func changes(upTo last: Int64) -> [Step] {
        let store = self.store
        var (rare, own) = (CardFilter(), CardFilter())
        (rare.reason, own.submitter) = ("no_such_reason", "sender-3")
        return [
            ("last event", { _ = try await store.listings.lastEvent() })
        ]
            + [
                ("from the first", CardFilter(), 0), ("from the middle", CardFilter(), last / 2),
                ("the last hundred", CardFilter(), last - 100), ("a reason of none", rare, 0),
                ("a submitter's", own, 0),
            ]
            .map { (name: String, filter: CardFilter, event: Int64) in
                (
                    "changes: \(name)",
                    { _ = try await store.listings.changes(filter, since: event, limit: 100, for: .process) }
                )
            }
    }

    private func accessLines(of card: CardID) -> [Step] {
        let store = self.store
        let lists: [(String, LogFilter)] = [
            ("all", LogFilter()), ("a person's", LogFilter(subject: "person-1")),
            ("no one's", LogFilter(subject: "unknown")), ("an action", LogFilter(action: .erase)),
            ("a person's action", LogFilter(subject: "person-1", action: .erase)),
            ("a rare action", LogFilter(action: .export)), ("a card", LogFilter(card: card)),
        ]
        return lists.map { name, filter in
            (
                "access log: \(name)",
                { _ = try await store.listings.accessLines(filter, before: nil, limit: 100, for: .process) }
            )
        } + [("last backup", { _ = try await store.listings.lastBackup() })]
    }

    private var review: [Step] {
        let store = self.store
        return [
            ("review queue", { _ = try await store.decisions.reviewQueue(now: .now) }),
            (
                "claim the next case, and release it",
                {
                    let origin = try AccessOrigin(.process, actor: "scale", purpose: nil)
                    _ = try await store.decisions.claimNext(tab: "tab", by: origin, now: .now)
                    try await store.decisions.release(tab: "tab", by: .process, now: .now)
                }
            ),
        ]
    }

    private func cards(like card: Card) -> [Step] {
        let store = self.store
        return [
            ("details of a card", { _ = try await store.listings.details(of: card.id, for: .process) }),
            ("short id of a card", { _ = try await store.listings.shortIDs(of: [card.id]) }),
            (
                "a card by its short id",
                { _ = try await store.listings.ids(matching: ["\(card.id.rawValue.suffix(12))"]) }
            ),
        ]
    }

    private var reports: [Step] {
        let store = self.store
        return [
            ("status", { try await self.status() }),
            ("status --check", { _ = try await store.listings.issues(.ample, now: .now) }),
            ("counts of cards", { _ = try await store.listings.counts() }),
            ("counts of cards that need a person", { _ = try await store.listings.attentionCounts() }),
            ("metrics", { _ = try await store.listings.metrics(now: .now) }),
            ("throughput of an hour", { _ = try await store.listings.throughput(.hour, now: .now) }),
            ("throughput of a week", { _ = try await store.listings.throughput(.week, now: .now) }),
            ("fsck", { _ = try await store.upkeep.check() }),
            ("fsck: access log", { _ = try await store.upkeep.checkAccessLog() }),
        ]
    }

    /// Asks what the command `status` asks.
    private func status() async throws {
        let cases = try await self.store.listings.caseCounts()
        _ = try await (
            self.store.upkeep.workers(), self.store.listings.counts(), self.store.listings.attentionCounts(),
            self.store.endpoints.pauses()
        )
        _ = try await self.store.endpoints.lastSuccess(now: .now)
        _ = try await self.store.listings.issues(.ample, cases: cases, now: .now)
        for attention in CardAttention.allCases {
            var filter = CardFilter()
            filter.attention = [attention]
            _ = try await self.store.listings.cards(filter, after: 0, limit: 10, for: .process)
        }
    }
}
