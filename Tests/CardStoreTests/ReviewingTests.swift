import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// Claims, decisions of pages, and undo.
@Suite final class ReviewingTests: StoreSuite {
    static let li = AccessOrigin(caller: Caller(subject: "li.na", scopes: [.review]), "token:li.na", "T-1")
    static let wang = AccessOrigin(caller: Caller(subject: "wang.wei", scopes: [.review]), "token:wang.wei", "T-2")
    private var li: AccessOrigin { Self.li }
    private var store: Sandbox { harness.store }

    /// A card that a person must decide about.
    private func held(_ number: String = "N") async throws -> CardID {
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        return try await harness.judged(number, number: number, verdict)
    }

    private func decide(
        _ card: CardID,
        _ action: DecisionAction = .accept,
        message: String? = nil
    ) async throws {
        let outcome = try await harness.decideOnPage(card, action, message: message, by: li)
        #expect(outcome == .undoable(until: harness.now.advanced(by: .seconds(10))))
    }

    private func rows() async throws -> Int? {
        try await harness.value("SELECT count(*) FROM decision WHERE dropped = 0")
    }

    // MARK: Claims

    @Test func `two pages that take the next case two hundred times each never get the same`() async throws {
        var cards: [CardID] = []
        for number in 0..<400 {
            cards += try await store.intake.admit([harness.photo("\(number)", number: "N-\(number)")], now: harness.now)
                .map(\.card)
        }
        try await harness.plant("UPDATE card SET state = 'held', reason = 'legality_low'")
        try await store.write(at: harness.now) { tx in try CaseRow.setAllCaseStates(in: tx) }
        let (other, now) = (try await harness.another(), harness.now)
        let claimed = try await withThrowingTaskGroup(of: [BusinessNumber].self) { tasks in
            for (tab, store) in [("a", store), ("b", other)] {
                tasks.addTask {
                    var numbers: [BusinessNumber] = []
                    for _ in 0..<200 {
                        // Who has three tabs loses the oldest.
                        let person = Caller(subject: "\(tab) \(numbers.count)", scopes: [.review])
                        let origin = AccessOrigin(caller: person, tab, "T-1")
                        numbers.append(
                            try #require(try await store.decisions.claimNext(tab: tab, by: origin, now: now))
                        )
                    }
                    return numbers
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(claimed.count == 400 && Set(claimed).count == 400)
        #expect(try await store.decisions.claimNext(tab: "a", by: li, now: now) == nil)
        try other.close()
    }

    @Test func `a person has one case a tab and three tabs, and the oldest falls`() async throws {
        for number in 1...5 {
            _ = try await held("N-\(number)")
            harness.pass(.seconds(1))
        }
        func claimed() async throws -> String? {
            let claimed: SQL = "cases WHERE claimed_by IS NOT NULL"
            let tabs: SQL = "SELECT claimed_tab || ' ' || number AS tab FROM \(claimed) ORDER BY tab"
            return try await harness.value("SELECT group_concat(tab, ', ') FROM (\(tabs))")
        }
        for tab in ["a", "b", "c"] {
            _ = try await store.decisions.claimNext(tab: tab, by: li, now: harness.now)
            harness.pass(.seconds(1))
        }
        _ = try await store.decisions.claimed(tab: "a", by: try #require(li.caller), now: harness.now, extending: true)
        _ = try await store.decisions.claimNext(tab: "d", by: li, now: harness.now)
        #expect(try await claimed() == "a N-1, c N-3, d N-4")
        _ = try await store.decisions.claimNext(tab: "d", by: li, now: harness.now)
        #expect(try await claimed() == "a N-1, c N-3, d N-2")
        #expect(try await store.decisions.claimNext(tab: "x", by: Self.wang, now: harness.now)?.rawValue == "N-4")
    }

    @Test func `a tab gets all cards of the oldest case that need a person, and no other`() async throws {
        let first = try await held("N-1")
        harness.pass(.seconds(1))
        let second = try await held("N-2")
        let failed = try await harness.admit("failed", number: "N-1").card
        let seen = try await harness.admit("seen", number: "N-1").card
        let rejected = try await harness.admit("rejected", number: "N-1").card
        try await harness.plant(
            """
            UPDATE card SET state = 'failed', reason = 'attempts_exhausted' WHERE id = '\(failed)';
            UPDATE card SET state = 'held', reason = 'legality_low', seen = 1 WHERE id = '\(seen)';
            UPDATE card SET state = 'rejected', reason = 'legality_low' WHERE id = '\(rejected)'
            """
        )
        let caller = try #require(li.caller)
        #expect(try await store.decisions.claimNext(tab: "a", by: li, now: harness.now)?.rawValue == "N-1")
        let claimed = try await store.decisions.claimed(tab: "a", by: caller, now: harness.now, extending: false)
        #expect(claimed == [first, failed])
        let queue = try await store.decisions.reviewQueue(now: harness.now)
        #expect(queue.free == 1 && queue.claimed.map(\.cases) == [1] && queue.claimed.map(\.subject) == ["li.na"])
        // What is skipped comes no more in this sitting.
        #expect(
            try await store.decisions.claimNext(
                tab: "b",
                skipping: [BusinessNumber(stored: "N-2")],
                by: li,
                now: harness.now
            )
                == nil
        )
        #expect(try await store.decisions.claimNext(tab: "b", by: li, now: harness.now)?.rawValue == "N-2")
        try await store.decisions.release(tab: "b", by: caller, now: harness.now)
        #expect(try await store.decisions.claimed(tab: "b", by: caller, now: harness.now, extending: false) == [])
        #expect(try await store.decisions.claimNext(tab: "c", by: li, now: harness.now)?.rawValue == "N-2")
        _ = second
        let reader = try AccessOrigin(Caller(subject: "local", scopes: [.read]), actor: "token:local", purpose: nil)
        try await store.decisions.release(tab: "c", by: caller, now: harness.now)
        #expect(
            await code { try await store.decisions.claimNext(tab: "d", by: reader, now: harness.now) } == .scopeMissing
        )
    }

    @Test func `another submitter's photo is claimed though its case goes on without it, and counted once`()
        async throws
    {
        let front = try await harness.sent("front", number: "N", .accepted)
        let foreign = try await harness.admit("foreign", number: "N", submitter: "other").card
        try await harness.admit("second", number: "N", submitter: "other")
        #expect(
            try await store.listings.cases(CaseFilter(), after: nil, limit: 10, for: .process).cases.map(\.state) == [
                .incomplete
            ]
        )
        #expect(try await store.decisions.reviewQueue(now: harness.now).free == 1)
        let counts = try await store.listings.caseCounts(needingPerson: true)
        #expect(counts.map { "\($0.state) \($0.cause ?? "") \($0.cases)" } == ["decide submitter_conflict 1"])
        #expect(try await store.decisions.claimNext(tab: "a", by: li, now: harness.now)?.rawValue == "N")
        #expect(try await store.decisions.reviewQueue(now: harness.now).free == 0)
        let cards = try await store.decisions.claimed(
            tab: "a",
            by: li.caller ?? .process,
            now: harness.now,
            extending: false
        )
        #expect(cards.count == 2 && cards.contains(foreign) && !cards.contains(front))
        for card in cards { try await harness.resolve(card, .reject) }
        #expect(try await store.listings.caseCounts(needingPerson: true).isEmpty)
        #expect(try await store.decisions.claimNext(tab: "b", by: li, now: harness.now) == nil)
        #expect(try await harness.findings() == [])
    }

    @Test func `another submitter's photo is claimed while the owner's was refused`() async throws {
        try await harness.sent("front", number: "N", .failed(.specimen(.rejected, code: "9001")))
        let foreign = try await harness.admit("foreign", number: "N", submitter: "other").card
        let cases = try await store.listings.cases(CaseFilter(), after: nil, limit: 10, for: .process).cases
        #expect(cases.map(\.state) == [.retake])
        #expect(try await store.decisions.reviewQueue(now: harness.now).free == 1)
        let counts = try await store.listings.caseCounts(needingPerson: true)
        #expect(counts.contains { $0.cause == "submitter_conflict" && $0.cases == 1 })
        #expect(try await store.decisions.claimNext(tab: "a", by: li, now: harness.now)?.rawValue == "N")
        let caller = li.caller ?? .process
        let claimed = try await store.decisions.claimed(tab: "a", by: caller, now: harness.now, extending: false)
        #expect(claimed == [foreign])
    }

    @Test func `an expired claim is free at once, an extended one is not, and one by a clock ahead does not last`()
        async throws
    {
        _ = try await held()
        let caller = try #require(li.caller)
        #expect(try await store.decisions.claimNext(tab: "a", by: li, now: harness.now) != nil)
        harness.pass(.seconds(599))
        #expect(try await store.decisions.claimed(tab: "a", by: caller, now: harness.now, extending: true).count == 1)
        harness.pass(.seconds(599))
        #expect(try await store.decisions.claimNext(tab: "b", by: Self.wang, now: harness.now) == nil)
        harness.pass(.seconds(1))
        #expect(try await store.decisions.claimNext(tab: "b", by: Self.wang, now: harness.now) != nil)
        #expect(try await store.decisions.claimed(tab: "a", by: caller, now: harness.now, extending: true) == [])
        harness.pass(.zero - .seconds(86_400))
        #expect(try await store.decisions.claimNext(tab: "a", by: li, now: harness.now) != nil)
    }

    @Test func `a claim keeps other persons' pages from the card, and no command`() async throws {
        let card = try await held()
        _ = try await store.decisions.claimNext(tab: "a", by: Self.wang, now: harness.now)
        let error = await #expect(throws: CodedError.self) { try await decide(card) }
        #expect(error?.code == .cardConflict && error?.message.text().contains("wang.wei reviews card") == true)
        try await harness.resolve(card, .accept)
        #expect(try await harness.card(card).state == .verified)
    }

    // MARK: Decisions

    @Test func `a decision is carried out after ten seconds, by one of two processes, with who decided and why`()
        async throws
    {
        var cards: [CardID] = []
        for number in 0..<30 { cards.append(try await held("N-\(number)")) }
        for card in cards { try await decide(card, .reject) }
        #expect(try await harness.carryOut() == [])
        harness.pass(.seconds(10))
        let (other, worker, now) = (try await harness.another(), harness.worker, harness.now)
        let steady = Duration.milliseconds(now.millisecondsSinceEpoch)
        // The other handle is the same process, and knows of them as well.
        _ = try await other.decisions.carryOutDecisions(by: worker, steady: steady - .seconds(10), now: now)
        let changes = try await withThrowingTaskGroup(of: [CardChange].self) { tasks in
            for store in [store, other, store, other] {
                tasks.addTask { try await store.decisions.carryOutDecisions(by: worker, steady: steady, now: now) }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
        try other.close()
        #expect(changes.map(\.card).sorted { $0.rawValue < $1.rawValue } == cards.sorted { $0.rawValue < $1.rawValue })
        #expect(changes.allSatisfy { $0.state == .rejected && $0.reason == .rejectedByOperator })
        #expect(try await rows() == 0)
        let log = try await harness.accessLog().filter { $0[3] == cards[0].rawValue && $0[0] != "verify" }
        #expect(
            log == [
                ["decide", "token:li.na", "T-1", cards[0].rawValue],
                ["resolve", "console:li.na as reject", "T-1", cards[0].rawValue],
            ]
        )
    }

    @Test func `at most fifty are carried out at a time`() async throws {
        for number in 0..<51 { try await decide(try await held("N-\(number)")) }
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut().count == 50)
        #expect(try await harness.carryOut().count == 1)
    }

    @Test func `a decision is undone in time, also after the sandbox was opened again, and not later`() async throws {
        let (first, second) = (try await held("N-1"), try await held("N-2"))
        try await decide(first)
        harness.pass(.seconds(2))
        try await decide(second)
        let third = try await held("N-3")
        try await decide(third)
        try await harness.reopen()
        harness.pass(.milliseconds(7_999))
        #expect(try await !store.decisions.undo(second, tab: "a", by: Self.wang, now: harness.now))
        let undoable = try await store.decisions.undoable(by: li.caller ?? .process).map(\.card)
        #expect(Set(undoable) == [first, second, third] && undoable.last == first)
        #expect(try await store.decisions.undo(second, tab: "a", by: li, now: harness.now))
        #expect(try await store.decisions.undo(first, tab: "a", by: li, now: harness.now))
        #expect(try await !store.decisions.undo(first, tab: "a", by: li, now: harness.now))
        let caller = try #require(li.caller)
        // The tab has the last one again.
        #expect(try await store.decisions.claimed(tab: "a", by: caller, now: harness.now, extending: false) == [first])
        try await decide(first)
        harness.pass(.seconds(10))
        let changes = try await harness.carryOut()
        #expect(changes.map(\.card).contains(first) && changes.map(\.state) == [.verified, .verified])
        #expect(try await !store.decisions.undo(first, tab: "a", by: li, now: harness.now))
    }

    @Test func `a decision about what has moved since is refused with what happened and by whom`() async throws {
        let card = try await held()
        let seen = try await store.listings.details(of: card, for: .process).lastEvent
        harness.pass(.seconds(1))
        try await store.decisions.resolve(card, as: .reject, by: Self.wang, now: harness.now)
        let error = await #expect(throws: CodedError.self) {
            try await self.store.decisions.decide(card, .accept, seen: seen, by: self.li, now: self.harness.now)
        }
        #expect(error?.code == .cardMoved && error?.kind == .conflict)
        let text = error?.message.text() ?? ""
        #expect(text.contains("rejected at ") && text.contains("(by token:wang.wei)"))
        #expect(try await rows() == 0)
    }

    @Test func `what can no longer be carried out is dropped with an event that says why`() async throws {
        let (moved, accepted) = (try await held("N-1"), try await held("N-2"))
        for card in [moved, accepted] { try await decide(card) }
        harness.pass(.seconds(1))
        try await harness.resolve(moved, .reject)
        // The rules say no to what a waiting reason, which is no event, has changed.
        try await harness.plant("DELETE FROM reading WHERE card = '\(accepted)'")
        harness.pass(.seconds(9))
        #expect(try await harness.carryOut() == [])
        #expect(try await rows() == 0)
        for (card, state) in [(moved, "rejected rejected_by_operator"), (accepted, "held legality_unavailable")] {
            #expect(try await harness.state(card) == state)
            let event = try #require(try await store.listings.details(of: card, for: .process).steps.last)
            let after = try #require(event.state)
            #expect(event.code == "decision_refused" && state.hasPrefix(after.rawValue))
            let text = event.message?.text() ?? ""
            #expect(text.hasPrefix("the decision accept of li.na was not carried out: "))
        }
        // The person is told once; until then status does.
        #expect(
            try await store.listings.issues(.ample, now: harness.now).map(\.code) == [
                "legality_unavailable", "decision_refused",
            ]
        )
        let reporting = try await store.decisions.dropped(of: li.caller ?? .process, now: harness.now)
        #expect(Set(reporting.map(\.card)) == [moved, accepted])
        #expect(try await store.decisions.dropped(of: li.caller ?? .process, now: harness.now) == [])
        #expect(try await harness.findings() == [])
    }

    @Test func `what a rule, a scope or a purpose forbids is not written down`() async throws {
        let other = try await held("M")
        let card = try await harness.admit("front", number: "N").card
        #expect(await code { try await decide(card) } == .cardConflict)
        let details = try await store.listings.details(of: card, for: Self.wang.caller ?? .process)
        #expect(details.actions[.accept]?.code == .cardConflict && details.actions[.erase]?.code == .scopeMissing)
        let reader = try await store.listings.details(of: card, for: Caller(subject: "local", scopes: [.read]))
        #expect(reader.actions.count == DecisionAction.allCases.count)
        #expect(await code { try await decide(other, .erase) } == .cardConflict)
        let refused = try await store.listings.details(of: other, for: .process).actions.keys
        #expect(Set(refused) == [.delivered, .resend, .anew, .holder])
        #expect(try await rows() == 0)
        #expect(try await harness.accessLog().filter { $0[0] == "decide" } == [])
    }

    @Test func `the words of a reject are in the card's history, and stand nowhere in the clear`() async throws {
        let card = try await held()
        let words = "the holder Zhang blinks"
        try await decide(card, .reject, message: words)
        func isInTheClear() throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: harness.folder).contains { name in
                let bytes = FileManager.default.contents(atPath: "\(harness.folder)/\(name)")
                return bytes?.range(of: Data(words.utf8)) != nil
            }
        }
        #expect(try !isInTheClear())
        #expect(try await harness.findings() == [])
        harness.pass(.seconds(10))
        _ = try await harness.carryOut()
        #expect(try await harness.card(card).message == nil)
        let events = try await store.listings.reveal(card, to: AccessOrigin(actor: "test"), now: harness.now).events
        let message = try #require(events.compactMap(\.message).last)
        #expect(message.text() == "a person rejected the photo: \(words)")
        #expect(message.description == "a person rejected the photo: <redacted>")
        #expect(try !isInTheClear())
    }

    @Test func `an erased card has no decision, and the check finds one that was left`() async throws {
        let card = try await held()
        try await decide(card, .reject, message: "blinks")
        try await harness.erase(card)
        #expect(try await rows() == 0)
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut() == [])
        try await harness.plant(
            """
            INSERT INTO decision (card, action, subject, seen, purpose, until, needs_second)
            VALUES ('\(card)', 'accept', 'li.na', 1, '', 0, 1)
            """
        )
        #expect(try await harness.findings() == ["erased_with_remains"])
        _ = try await store.upkeep.repair(by: StoreHarness.person, now: harness.now)
        #expect(try await harness.findings() == [])
    }
}
