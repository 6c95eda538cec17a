import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer
@testable import CardStore

/// What a reviewer does on pages: one case after the other, each in one tab, decided with a way back.
@Suite(.timeLimit(.minutes(2))) struct ReviewPageTests {
    private func with(_ body: (ServerHarness, TestClock) async throws -> Void) async throws {
        let tokens = ["li.na", "wang.wei"].map { ServerHarness.token($0, [.review, .reveal, .audit]) }
        let clock = TestClock()
        try await ServerHarness.with(
            { $0.tokens = { () throws(CodedError) in tokens } },
            now: { clock.now }
        ) { try await body($0, clock) }
    }

    /// A clock that the test moves.
    final class TestClock: Sendable {
        private let moment = ServerHarness.Mutexed(Timestamp(Date()))
        var now: Timestamp { self.moment.withLock(\.self) }
        func pass(_ time: Duration) { self.moment.withLock { $0 = $0.advanced(by: time) } }
    }

    /// Cards that a person must decide about, each of a case of its own.
    private func held(_ harness: ServerHarness, _ count: Int, at clock: TestClock) async throws -> [CardID] {
        var ids: [CardID] = []
        for _ in 0..<count { ids.append(try await harness.admit(of: "clerk")) }
        try await harness.store.database.write(at: clock.now) { tx in
            try tx.run("UPDATE card SET state = 'held', reason = 'legality_low'")
            try CaseRow.setAllCaseStates(in: tx)
        }
        return ids
    }

    /// The tab that a sitting begins in, from where the browser is led to.
    private func begin(_ visitor: ConsoleVisitor) async throws -> String {
        let answer = try await visitor.post("/console/review", ["purpose": "T-881"])
        let place = try #require(answer["location"])
        return String(try #require(place.wholeMatch(of: /\/console\/review\?tab=([0-9a-f]+)/)?.1))
    }

    private func shown(_ page: RawResponse) -> Set<String> {
        Set(page.page.matches(of: /action="\/console\/cards\/([0-9a-f-]{36})\/decide"/).map { String($0.1) })
    }

    private func seen(_ page: RawResponse) throws -> String {
        String(try #require(page.page.firstMatch(of: /name="seen" value="([0-9]+)"/)).1)
    }

    @Test func `two tabs never show one case, and what is skipped does not come back`() async throws {
        try await self.with { harness, clock in
            let cards = try await self.held(harness, 3, at: clock)
            let visitor = try await ConsoleVisitor(harness, as: "li.na")
            // Nothing is proposed, so nothing is said of a second person.
            #expect(try await !visitor.get("/console/review").page.contains("<table"))
            var found: [Set<String>] = []
            for _ in 0..<2 {
                let tab = try await self.begin(visitor)
                found.append(self.shown(try await visitor.get("/console/review?tab=\(tab)")))
            }
            let other = try await ConsoleVisitor(harness, as: "wang.wei")
            let tab = try await self.begin(other)
            found.append(self.shown(try await other.get("/console/review?tab=\(tab)")))
            #expect(found.allSatisfy { $0.count == 1 } && Set(found.flatMap(\.self)) == Set(cards.map(\.rawValue)))
            _ = try await other.post("/console/review/next", ["tab": tab])
            let empty = try await other.get("/console/review?tab=\(tab)")
            #expect(self.shown(empty).isEmpty && empty.page.contains("li.na looks at 2"))
        }
    }

    @Test func `a decision is undone within ten seconds, and carried out after them`() async throws {
        try await self.with { harness, clock in
            let card = try await self.held(harness, 1, at: clock)[0]
            let visitor = try await ConsoleVisitor(harness, as: "li.na")
            let tab = try await self.begin(visitor)
            var isFirst = true
            func decide() async throws {
                let page = try await visitor.get("/console/review?tab=\(tab)")
                let fields: KeyValuePairs = [
                    "action": "reject", "seen": try self.seen(page), "effect": "2", "sure": "yes", "message": "blurred",
                    "tab": tab,
                ]
                let unseen = try await visitor.post("/console/cards/\(card)/decide", fields)
                #expect(unseen.status == (isFirst ? 409 : 303), "who may look must look before")
                guard isFirst else { return }
                isFirst = false
                let look: KeyValuePairs = ["purpose": "T-881", "tab": tab]
                #expect(try await visitor.post("/console/cards/\(card)/reveal", look).status == 200)
                let answer = try await visitor.post("/console/cards/\(card)/decide", fields)
                #expect(answer.status == 303 && answer["location"] == "/console/review?tab=\(tab)")
            }
            try await decide()
            let page = try await visitor.get("/console/review?tab=\(tab)")
            #expect(page.page.contains("/console/review/undo") && self.shown(page).isEmpty)
            #expect(page.page.contains("class=\"undo outcome\" role=\"status\""))
            clock.pass(.seconds(9))
            let undo: KeyValuePairs = ["tab": tab, "card": card.rawValue]
            #expect(try await visitor.post("/console/review/undo", undo).status == 303)
            let other = try await harness.store.upkeep.startWorker(id: "other", command: "run", now: clock.now)
            func carryOut() async throws -> [CardState] {
                try await harness.store.decisions.carryOutDecisions(by: other, steady: .zero, now: clock.now).map(
                    \.state
                )
            }
            #expect(try await carryOut().isEmpty)
            #expect(self.shown(try await visitor.get("/console/review?tab=\(tab)")) == [card.rawValue])
            try await decide()
            clock.pass(.seconds(70))
            #expect(try await carryOut() == [.rejected])
            #expect(try await visitor.post("/console/review/undo", undo).status == 409)
            let details = try await harness.store.listings.details(of: card, for: .process)
            #expect(details.events.contains { $0.message?.id == "decision.rejected" })
            #expect(details.events.last { $0.actor != nil }?.why == "T-881")
        }
    }

    @Test func `a stale form is a 409 that says who did what, and keeps the text`() async throws {
        try await self.with { harness, clock in
            let card = try await self.held(harness, 1, at: clock)[0]
            let visitor = try await ConsoleVisitor(harness, as: "li.na")
            let page = try await visitor.get("/console/cards/\(card)")
            let seen = try self.seen(page)
            let incomplete: [KeyValuePairs<String, String>] = [
                ["action": "reject", "seen": seen, "sure": "yes", "message": "why"],
                ["action": "reject", "seen": seen, "effect": "2", "message": "why"],
                ["action": "reject", "seen": seen, "effect": "2", "sure": "yes"],
            ]
            for fields in incomplete {
                #expect(try await visitor.post("/console/cards/\(card)/decide", fields).status == 422)
            }
            clock.pass(.seconds(1))
            let other = AccessOrigin(caller: Caller(subject: "branch-b", scopes: [.review]), "token:branch-b", "T-1")
            _ = try await harness.store.decisions.resolve(card, as: .reject, by: other, now: clock.now)
            let fields: KeyValuePairs = [
                "action": "reject", "seen": seen, "effect": "2", "sure": "yes", "message": "my words <b>",
            ]
            let answer = try await visitor.post("/console/cards/\(card)/decide", fields)
            #expect(answer.status == 409)
            #expect(answer.page.contains("branch-b") && answer.page.contains("my words &lt;b&gt;"))
            #expect(try await harness.store.listings.details(of: card, for: .process).card.state == .rejected)
        }
    }

    @Test func `a case is revealed as a whole, with a line for each card`() async throws {
        try await self.with { harness, clock in
            let cards = try await self.held(harness, 2, at: clock)
            try await harness.store.database.write(at: clock.now) { tx in
                let number: SQL = "(SELECT number FROM card WHERE id = \(cards[0]))"
                try tx.run("UPDATE card SET number = \(number) WHERE id = \(cards[1])")
                try CaseRow.setAllCaseStates(in: tx)
            }
            let visitor = try await ConsoleVisitor(harness, as: "li.na")
            let tab = try await self.begin(visitor)
            let fields: KeyValuePairs = ["purpose": "T-881", "tab": tab]
            let answer = try await visitor.post("/console/cards/\(cards[0])/reveal", fields)
            #expect(answer.status == 200 && answer.page.matches(of: /data:image\/jpeg/).count == 2)
            #expect(answer.page.contains("content=\"60; url=/console/review?tab=\(tab)\""))
            let filter = LogFilter(action: .reveal)
            let lines = try await harness.store.listings.accessLines(filter, before: nil, limit: 9, for: .process)
            #expect(Set(lines.map(\.cardID)) == Set(cards) && lines.allSatisfy { $0.purpose == "T-881" })
            // A case that belongs to nobody any more shows nothing.
            clock.pass(.seconds(700))
            #expect(try await visitor.post("/console/cards/\(cards[0])/reveal", fields).status == 409)
        }
    }

    @Test func `what may not be done has its reason, and erasing its command`() async throws {
        try await self.with { harness, clock in
            let card = try await self.held(harness, 1, at: clock)[0]
            let page = try await ConsoleVisitor(harness, as: "li.na").get("/console/cards/\(card)").page
            #expect(page.contains("name=\"action\" value=\"reject\"") && page.contains(" disabled"))
            #expect(!page.contains("value=\"resend\"") && page.contains("idcard-pipeline cards erase \(card)"))
            let answer = try await ConsoleVisitor(harness, as: "li.na")
                .post("/console/cards/\(card)/decide", ["action": "erase", "seen": "1"])
            #expect(answer.status == 409)
        }
    }
}
