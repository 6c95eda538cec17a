import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// What two persons must decide alike.
@Suite final class FourEyesTests: StoreSuite {
    private let li = ReviewingTests.li
    private let wang = ReviewingTests.wang
    private var store: Sandbox { harness.store }

    /// A card that a person must decide about, in a sandbox whose decisions some are for two.
    private func held(_ actions: Set<DecisionAction> = [.accept], number: String = "N") async throws -> CardID {
        try await harness.reopen(fourEyes: actions)
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        return try await harness.judged(number, number: number, verdict)
    }

    private func resolve(_ card: CardID, _ resolution: Resolution, _ origin: AccessOrigin) async throws
        -> DecisionOutcome
    {
        try await store.decisions.resolve(card, as: resolution, by: origin, now: harness.now)
    }

    private func decide(_ card: CardID, _ action: DecisionAction, _ origin: AccessOrigin) async throws
        -> DecisionOutcome
    {
        try await harness.decideOnPage(card, action, by: origin)
    }

    private func waiting() async throws -> [Decision] {
        try await store.decisions.decisionsWaiting(for: .process, limit: 10)
    }

    private func log(_ card: CardID) async throws -> [[String]] {
        try await harness.accessLog().filter { $0[3] == card.rawValue && $0[0] != "verify" }.map { Array($0.prefix(3)) }
    }

    @Test func `the same decision of another person carries it out, and the log names both`() async throws {
        let card = try await held()
        for _ in 0..<2 { #expect(try await resolve(card, .accept, li) == .waitsForSecond) }
        #expect(try await harness.card(card).state == .held)
        #expect(try await waiting().map(\.subject) == ["li.na"])
        #expect(
            try await store.decisions.decisionsWaiting(for: Caller(subject: "local", scopes: [.read]), limit: 9) == []
        )
        #expect(try await resolve(card, .accept, wang).changes.map(\.state) == [.verified])
        #expect(try await waiting() == [])
        #expect(
            try await log(card) == [
                ["decide", "token:li.na", "T-1"], ["resolve", "token:wang.wei, confirms li.na", "T-2"],
            ]
        )
    }

    @Test func `another decision of the second person is refused and names the first`() async throws {
        let card = try await held()
        _ = try await resolve(card, .accept, li)
        for action in [
            { try await self.resolve(card, .reject, self.wang) }, { try await self.decide(card, .reject, self.wang) },
        ] {
            let error = await #expect(throws: CodedError.self) { _ = try await action() }
            #expect(error?.code == .cardConflict)
            #expect(error?.message.description.contains("li.na decided accept about card") == true)
        }
        #expect(await code { try await self.resolve(card, .withdraw, self.wang) } == .cardConflict)
        #expect(try await waiting().count == 1)
    }

    @Test func `who decided first may take it back, or decide otherwise`() async throws {
        let card = try await held()
        _ = try await resolve(card, .accept, li)
        #expect(try await resolve(card, .withdraw, li).changes.map(\.state) == [.held])
        #expect(await code { try await self.resolve(card, .withdraw, self.li) } == .cardConflict)
        #expect(try await resolve(card, .accept, wang) == .waitsForSecond)
        // What one person may decide alone.
        #expect(try await resolve(card, .reject, wang).changes.map(\.state) == [.rejected])
        #expect(try await waiting() == [])
        #expect(try await log(card).map { $0[0] } == ["decide", "decide", "decide", "resolve"])
    }

    @Test func `what was decided lapses when the card moves`() async throws {
        let card = try await held([.accept, .retry])
        _ = try await resolve(card, .accept, li)
        try await harness.resolve(card, .reject)
        #expect(try await waiting() == [])
        try await harness.plant("UPDATE card SET state = 'held', reason = 'legality_low'")
        #expect(try await resolve(card, .accept, wang) == .waitsForSecond)
        #expect(try await resolve(card, .accept, li).changes.map(\.state) == [.verified])
    }

    @Test func `retries and erasures are for two, too, each card on its own, but not those of retention`() async throws
    {
        let retried = try await held([.retry, .erase], number: "M")
        #expect(try await store.decisions.decide(retried, .retry, by: li, now: harness.now) == .waitsForSecond)
        #expect(
            try await store.decisions.decide(retried, .retry, by: wang, now: harness.now).changes.map(\.state) == [
                .prepared
            ]
        )
        let first = try AccessOrigin(Caller(subject: "zhao", scopes: [.operate]), actor: "zhao", purpose: "T-3")
        let second = try AccessOrigin(Caller(subject: "qian", scopes: [.operate]), actor: "qian", purpose: "T-4")
        let cards = [try await held([.erase], number: "N-1"), try await held([.erase], number: "N-2")]
        func erase(_ cards: [CardID], _ origin: AccessOrigin) async throws -> [CardID] {
            try await store.upkeep.erase(cards, because: .requested, by: origin, now: harness.now).certificates.map(
                \.card
            )
        }
        #expect(try await erase([cards[0]], first) == [])
        #expect(try await erase(cards, second) == [cards[0]])
        #expect(try await erase([cards[0]], first) == [cards[0]])
        #expect(try await harness.card(cards[1]).state == .held)
        #expect(try await log(cards[0]) == [["decide", "zhao", "T-3"], ["erase", "qian, confirms zhao", "T-4"]])
        var terms = RetentionTerms()
        terms.held = .seconds(1)
        harness.pass(.seconds(2))
        #expect(try await harness.eraseExpired(terms) == [cards[1]])
        #expect(try await harness.findings() == [])
    }

    @Test func `a decision of a page waits for a second person after its time to undo`() async throws {
        let card = try await held()
        let until = harness.now.advanced(by: .seconds(10))
        for _ in 0..<2 { #expect(try await decide(card, .accept, li) == .undoable(until: until)) }
        #expect(await code { try await self.resolve(card, .reject, self.wang) } == .cardConflict)
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut() == [])
        #expect(try await decide(card, .accept, li) == .waitsForSecond)
        #expect(try await waiting().map(\.subject) == ["li.na"])
        // It has left the queue.
        #expect(try await store.decisions.claimNext(tab: "b", by: wang, now: harness.now) == nil)
        #expect(try await store.decisions.reviewQueue(now: harness.now).free == 0)
        #expect(try await resolve(card, .accept, wang).changes.map(\.state) == [.verified])
    }

    @Test func `a page that confirms can be undone, which brings back what the first person decided`() async throws {
        let card = try await held()
        _ = try await resolve(card, .accept, li)
        let first = try await waiting()
        for isUndone in [true, false] {
            harness.pass(.seconds(1))
            let until = harness.now.advanced(by: .seconds(10))
            #expect(try await decide(card, .accept, wang) == .undoable(until: until))
            #expect(try await waiting() == [])
            guard isUndone else { break }
            #expect(try await store.decisions.undo(card, tab: "a", by: wang, now: harness.now))
            let again = try await waiting()
            #expect(again.map(\.subject) == ["li.na"] && again.map(\.purpose) == first.map(\.purpose))
        }
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut().map(\.state) == [.verified])
        #expect(try await log(card).last == ["resolve", "console:wang.wei as accept, confirms li.na", "T-2"])
    }
}
