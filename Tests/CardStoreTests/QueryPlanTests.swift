import CardModel
import Dispatch
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import CardStore

@Suite struct QueryPlanTests {
    /// Collects the statements of connections.
    private final class Trace: Sendable {
        let statements = Mutex<Set<String>>([])

        /// Collects those of all readers that the store may have, which must be at hand at once for that.
        func readers(of store: Sandbox) async throws {
            let (count, all) = (Limits.readers, DispatchSemaphore(value: 0))
            try await withThrowingTaskGroup { group in
                for place in 1...count {
                    group.addTask {
                        try await store.database.read { tx in
                            tx.trace { statement in self.statements.withLock { _ = $0.insert(statement) } }
                            if place < count { all.wait() } else { for _ in 1..<count { all.signal() } }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// The small tables, and those of which a condition picks few rows. `page` is a part of the statement itself, "CONSTANT" the
    /// row of a `SELECT EXISTS`.
    private static let small: Set<String> = [
        "CONSTANT", "page", "store", "worker", "run", "pause", "state_total", "new",
    ]

    /// Lists and shows whatever there is, and returns the statements that read.
    private static func lists(in harness: StoreHarness) async throws -> [String] {
        let trace = Trace()
        try await trace.readers(of: harness.store)
        let card = try await harness.admit(harness.photo("front", number: "N")).card
        try await harness.admit("own", number: "T", submitter: "till")
        let foreign = try await harness.admit("foreign", number: "T", submitter: "other").card
        for caller in [Caller.process, Caller(subject: "till", scopes: [.read])] {
            for states in [[CardState](), [.held], [.held, .failed]] {
                for (attention, reason) in [([], nil), (CardAttention.allCases, nil), ([], "legality_low")] {
                    var filter = CardFilter()
                    (filter.states, filter.attention, filter.reason) = (states, attention, reason)
                    for number in [nil, BusinessNumber(stored: "N")] {
                        filter.number = number
                        _ = try await harness.store.listings.cards(filter, after: 0, limit: 10, for: caller)
                        _ = try await harness.store.listings.cards(
                            filter,
                            after: nil,
                            newestFirst: true,
                            limit: 10,
                            for: caller
                        )
                        _ = try await harness.store.listings.changes(filter, since: 0, limit: 10, for: caller)
                    }
                }
            }
            for number in [nil, BusinessNumber(stored: "N")] {
                var filter = CaseFilter()
                (filter.number, filter.since) = (number, Timestamp(millisecondsSinceEpoch: 0))
                let page = try await harness.store.listings.cases(filter, after: nil, limit: 1, for: caller)
                _ = try await harness.store.listings.cases(filter, after: page.next, limit: 1, for: caller)
            }
        }
        for card in [card, foreign] { _ = try await harness.store.listings.details(of: card, for: .process) }
        _ = try await harness.store.listings.caseCounts()
        _ = try await harness.store.listings.attentionCounts()
        _ = try await harness.store.listings.throughput(.week, now: harness.now)
        #expect(try await !harness.store.upkeep.foldTally(now: harness.now))
        try await harness.store.listings.logList(
            to: AccessOrigin(.process, actor: "clerk", purpose: nil),
            now: harness.now
        )
        for (subject, card) in [(nil, nil), ("local", nil), (nil, card), ("local", card)] as [(String?, CardID?)] {
            for action in [nil, AccessAction.list] {
                let filter = LogFilter(subject: subject, card: card, action: action)
                for number in [nil, Int64(1)] {
                    _ = try await harness.store.listings.accessLines(filter, before: number, limit: 10, for: .process)
                }
            }
        }
        _ = try await harness.store.listings.lastBackup()
        _ = try await harness.store.decisions.reviewQueue(now: harness.now)
        _ = try await harness.store.decisions.decisionsWaiting(for: .process, limit: 10)
        _ = try await harness.store.decisions.claimed(tab: "a", by: .process, now: harness.now, extending: false)
        _ = try await harness.store.decisions.undoable(by: .process)
        _ = try await harness.store.decisions.dropped(of: .process, now: harness.now)
        _ = try await harness.carryOut()
        return trace.statements.withLock(\.self).filter { $0.contains("SELECT") }.sorted()
    }

    @Test func `no list reads a table from end to end`() async throws {
        let harness = try await StoreHarness()
        let statements = try await Self.lists(in: harness)
        #expect(statements.count > 35)
        for (detail, statement) in try await Self.plans(of: statements, in: harness) {
            let scanned = detail.hasPrefix("SCAN ") ? String(detail.split(separator: " ")[1]) : nil
            // A part of the statement itself has a page at most.
            let isWhole = scanned.map { !Self.small.contains($0) && !$0.hasPrefix("(subquery") } ?? false
            // These indexes hold what is not yet decided in the end.
            let isPending = ["decision_undo", "decision_second", "decision_dropped"].contains {
                detail.hasSuffix("USING INDEX \($0)")
            }
            #expect(!isWhole || isPending, "\(detail): \(statement)")
            #expect(!Self.looksBeyondNumber(detail, statement), "\(detail): \(statement)")
            #expect(!Self.looksBeyondCard(detail, statement), "\(detail): \(statement)")
        }
    }

    /// Whether all lines of a person or an action are looked at where the few of a card would do.
    private static func looksBeyondCard(_ detail: String, _ statement: String) -> Bool {
        detail.contains("INDEX access_") && statement.contains("card = ?") && !detail.contains("access_card")
    }

    /// Takes cards the ways that there are, and returns the statements of these changes.
    private static func changes(in harness: StoreHarness) async throws -> [String] {
        try await harness.reopen(fourEyes: [.retry])
        let trace = Trace()
        try await harness.store.database.withWriter { connection in
            connection.trace { event in
                if case .statement(let statement) = event { trace.statements.withLock { _ = $0.insert(statement.sql) } }
            }
        }
        let photos = [
            harness.photo("front", number: "N"), harness.photo("back", number: "N"),
            harness.photo("newer", number: "N"),
        ]
        let cards = try await harness.store.intake.admit(photos, now: harness.now).map(\.card)
        _ = try await harness.store.intake.admit([harness.photo("front", number: "N", priority: 3)], now: harness.now)
        _ = try await harness.store.intake.admit([harness.photo("single", number: "S")], singly: true, now: harness.now)
        for job in try await harness.claim(untriedFirst: true) {
            let isBack = job.card.id == cards[1]
            try await harness.conclude(job, side: isBack ? .back : .front, number: nil)
        }
        let job = try #require(try await harness.begin().first)
        try await harness.conclude(job, .failure(.unknown))
        let second = try await harness.repeated()
        try await harness.conclude(second, .failure(.unknown))
        let third = try await harness.repeated()
        try await harness.conclude(third, .accepted)
        try await harness.deliverAll()
        let details = try await harness.store.listings.details(of: cards[1], for: .process)
        #expect(details.caseCards.count == 2)
        _ = try await harness.store.listings.export(cards[0], to: StoreHarness.person, now: harness.now)
        let held = try await harness.judged("held", .held(VerdictRule.legalityUnavailable.reason, message: "look"))
        try await harness.resolve(held, .reject)
        let person = try AccessOrigin(.process, actor: "li.na", purpose: "T-1")
        let doubtful = try await harness.judged(
            "doubtful",
            .held(VerdictRule.legalityUnavailable.reason, message: "look")
        )
        _ = try await harness.store.decisions.claimNext(tab: "a", by: person, now: harness.now)
        let seen = try await harness.store.decisions.claimed(tab: "a", by: .process, now: harness.now, extending: true)
        #expect(seen == [doubtful])
        for _ in 0..<2 {
            try await harness.decideOnPage(doubtful, .accept, by: person)
            guard try await harness.store.decisions.undo(doubtful, tab: "a", by: person, now: harness.now) else {
                break
            }
            try await harness.store.decisions.release(tab: "a", by: .process, now: harness.now)
        }
        // A second person confirms what another one decided, and takes that back.
        let other = try AccessOrigin(Caller(subject: "wang.wei", scopes: [.operate]), actor: "wang.wei", purpose: "T-2")
        #expect(
            try await harness.store.decisions.decide(doubtful, .retry, by: person, now: harness.now) == .waitsForSecond
        )
        try await harness.decideOnPage(doubtful, .retry, by: other)
        #expect(try await harness.store.decisions.undo(doubtful, tab: "a", by: other, now: harness.now))
        try await harness.killWorker()
        var terms = RetentionTerms()
        terms.images = .milliseconds(1)
        harness.pass(.seconds(1))
        #expect(try await harness.store.upkeep.dropImages(terms, now: harness.now) > 0)
        _ = try await harness.store.upkeep.foldTally(now: harness.now)
        // What monitoring asks for every few seconds.
        _ = try await harness.store.listings.metrics(now: harness.now)
        _ = try await harness.store.listings.issues(.ample, now: harness.now)
        try await harness.store.write(at: harness.now) { tx in
            let short = try SandboxListings.shortID(of: cards[0], in: tx)
            #expect(try SandboxListings.id(matching: short, in: tx) == cards[0])
        }
        return trace.statements.withLock(\.self).filter { $0.contains("SELECT") || $0.contains("WHERE") }.sorted()
    }

    @Test func `no change on the path of a card reads a table from end to end, or sorts what waits`() async throws {
        let harness = try await StoreHarness()
        let statements = try await Self.changes(in: harness)
        #expect(statements.count > 30)
        let plans = try await Self.plans(of: statements, in: harness)
        #expect(plans.contains { $0.0.contains("card_end") })
        for (detail, statement) in plans {
            let scanned = detail.hasPrefix("SCAN ") ? String(detail.split(separator: " ")[1]) : nil
            let isFirst = statement.hasSuffix("ORDER BY number DESC LIMIT 1")
            #expect(scanned.map { Self.small.contains($0) || isFirst } ?? true, "\(detail): \(statement)")
            let readsState = detail.contains("card_by_state") && !statement.contains("min(intake_order)")
            #expect(!readsState, "\(detail): \(statement)")
            #expect(!Self.looksBeyondCard(detail, statement), "\(detail): \(statement)")
            #expect(!Self.looksBeyondNumber(detail, statement), "\(detail): \(statement)")
        }
    }

    /// What a process does beside the path of a card.
    private static func upkeep(in harness: StoreHarness) async throws -> [String] {
        let (trace, store, now) = (Trace(), harness.store, harness.now)
        try await trace.readers(of: store)
        try await store.write { tx in
            tx.trace { statement in trace.statements.withLock { _ = $0.insert(statement) } }
        }
        try await harness.address()
        _ = try await store.stages.fetchHosts(now: now)
        _ = try await harness.claimFetching().jobs
        _ = try await store.stages.nextDue(in: .fetching, now: now)
        try await store.deliveries.reconsider(under: StoreHarness.terms, now: now)
        _ = try await store.deliveries.nextDecision(now: now)
        _ = try await harness.groups(untriedOnly: true)
        _ = try await harness.claimDeliveries()
        _ = try await store.listings.metrics(now: now)
        _ = try await store.stages.claimedByOthers(than: harness.worker, now: now)
        for stage in [Stage.verify, .deliver] { _ = try await store.endpoints.unreadableNumbers(stage, now: now) }
        try await store.endpoints.endPauses(exceptOfVerifier: "v:443", backend: "b:443")
        var terms = RetentionTerms()
        (terms.delivered, terms.rejected, terms.failed) = (.seconds(1), .seconds(1), .seconds(1))
        (terms.held, terms.images) = (.seconds(1), .seconds(1))
        _ = try await store.upkeep.overdue(terms, now: now)
        _ = try await harness.eraseExpired(terms)
        try await harness.erase(try await harness.admit("erased", number: "E").card)
        return trace.statements.withLock(\.self).filter { $0.contains("WHERE") }.sorted()
    }

    /// Each index, and a part of the statement that it is for.
    private static let purposes: [(index: String, statement: String)] = [
        ("cases_due", "min(decide_at)"), ("cases_ahead", "decide_from > ?"),
        ("cases_standing", "SELECT min(since) FROM cases"),
        ("cases_claimed", "SET claimed_until = ?"), ("cases_submitter", "AND submitter = ?"),
        ("cases_foreign", "foreign_since IS NOT NULL"),
        ("card_end", "length(id) - 7"),
        ("card_number", "card.number = ?"), ("card_submitter", "submitter = ?"), ("card_reason", "reason = ?"),
        ("card_remote_code", "remote_code = ?"), ("card_source", "source = ?"), ("card_prepared", "card.prepared = ?"),
        ("card_work", "UPDATE card SET worker = ?"), ("card_waits", "SELECT min(due_at) FROM card"),
        ("card_ahead", "due_from > ?"),
        ("card_failed", "UPDATE card SET worker = ?"), ("card_host", "WITH RECURSIVE hosts"),
        ("card_fetching", "DELETE FROM pause"),
        ("card_clock", "due_at"), ("card_by_state", "state = "), ("card_age", "SELECT min(changed_at)"),
        ("card_image_age", "image_dropped_at IS NULL"), ("card_unreadable", "count(DISTINCT number)"),
        ("card_worker", "SET worker = NULL WHERE worker = ?"), ("delivery_open", "UPDATE delivery SET worker = ?"),
        ("delivery_worker", "DELETE FROM worker"), ("delivery_member", "SELECT delivery FROM delivery_card"),
        ("input_card", "FROM input WHERE card = ?"), ("attempt_subject", "FROM attempt WHERE subject"),
        ("attempt_open", "UPDATE attempt SET ended_at"), ("attempt_understood", "ORDER BY ended_at DESC"),
        ("event_card", "FROM event WHERE"), ("decision_undo", "FROM decision"), ("decision_second", "FROM decision"),
        ("decision_dropped", "FROM decision"), ("access_subject", "subject = ?"), ("access_action", "action = ?"),
        ("access_card", "card = ?"),
    ]

    @Test func `the next work of all kinds is found by the index for it`() async throws {
        let harness = try await StoreHarness()
        let paths = try await Self.lists(in: StoreHarness()) + Self.changes(in: StoreHarness())
        let statements = try await paths + Self.upkeep(in: harness)
        let plans = try await Self.plans(of: statements, in: harness)
        var indexes: [String: Set<String>] = [:]
        for (detail, statement) in plans {
            guard let match = detail.firstMatch(of: #/ INDEX (?!sqlite_)([a-z_]+)/#) else { continue }
            indexes[statement, default: []].insert(String(match.1))
        }
        for (index, part) in Self.purposes {
            let found = indexes.contains { $0.key.contains(part) && $0.value.contains(index) }
            #expect(found, "\(index): \(indexes.filter { $0.value.contains(index) }.keys.sorted())")
        }
        // Nothing else finds the next work of hosts, cases and stages.
        for (index, part) in [
            ("card_host", "WITH RECURSIVE hosts"), ("cases_due", "min(decide_at)"),
            ("card_age", "SELECT min(changed_at)"),
        ] {
            let others = indexes.filter { $0.key.contains(part) && $0.value != [index] }
            #expect(others.isEmpty, "\(others)")
        }
        // What a deletion looks for by itself is in no plan: cards of a delivery.
        let names = try await harness.store.database.read { tx in
            try tx.values("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL", as: String.self)
        }
        #expect(Set(names).subtracting(["card_delivery"]) == Set(Self.purposes.map(\.index)))
    }

    @Test func `rows that refer to what may be deleted are found by an index`() async throws {
        // SQLite looks for them at each deletion, and no plan shows it.
        let harness = try await StoreHarness()
        let unfound = try await harness.store.database.read { tx in
            try tx.values(
                """
                SELECT child.name || '.' || key."from" FROM sqlite_master AS child, pragma_foreign_key_list(child.name) AS key
                WHERE child.type = 'table' AND key."table" IN ('card', 'delivery', 'worker') AND child.name <> 'run'
                AND NOT EXISTS (
                    SELECT 1 FROM pragma_index_list(child.name) AS own, pragma_index_info(own.name) AS part
                    WHERE part.seqno = 0 AND part.name = key."from"
                )
                """,
                as: String.self
            )
        }
        #expect(unfound == [])
    }

    /// Whether the cards of a sender, a reason or a state, which may be all there are, are looked at where the few of a number
    /// would do.
    private static func looksBeyondNumber(_ detail: String, _ statement: String) -> Bool {
        let asksNumber = ["number = ?", "number = (SELECT"].contains(where: statement.contains)
        guard asksNumber, let match = detail.firstMatch(of: #/INDEX (card_[a-z_]+) \(/#) else {
            return false
        }
        return !["card_number", "card_source", "card_prepared"].contains(match.1)
    }

    private static func plans(of statements: [String], in harness: StoreHarness) async throws -> [(String, String)] {
        try await harness.store.database.withWriter { connection in
            try statements.filter { !$0.hasPrefix("EXPLAIN") && !$0.hasPrefix("--") }.flatMap { statement in
                let arguments = StatementArguments(Array(repeating: "x", count: statement.count { $0 == "?" }))
                let sql = "EXPLAIN QUERY PLAN \(statement)"
                return try GRDB.Row.fetchAll(connection, sql: sql, arguments: arguments).map { row in
                    (row["detail"] as String, statement)
                }
            }
        }
    }
}
