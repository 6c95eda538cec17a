import CardModel
import Testing

@testable import CardStore

@Suite final class RetentionTests: StoreSuite {
    private static let day = Duration.seconds(86_400)

    /// Takes a card to each state; returns them by the term that covers them.
    private func furnish() async throws -> [String: Set<CardID>] {
        let delivered = try await harness.sent("a", number: "A", .accepted)
        let rejected = try await harness.sent("b", number: "B", .failure(.rejected))
        let old = try await harness.verified("c", number: "C", .front)
        let new = try await harness.verified("newer c", number: "C", .front)
        let held = try await harness.sent("d", number: "D", .failure(.unknown), onUnknown: .hold)
        let waiting = try await harness.verified("e", number: "E", .back)
        _ = try await harness.begin()
        #expect(try await harness.state(old) == "superseded superseded")
        let failed = try await harness.admit("f", number: "F").card
        try await harness.plant("UPDATE card SET state = 'failed', reason = 'attempts_exhausted' WHERE number = 'F'")
        #expect(try await harness.state(new) == "delivering")
        try await harness.admit("g", number: "G")
        return ["delivered": [delivered], "rejected": [rejected, old], "held": [held, waiting], "failed": [failed]]
    }

    private static func terms(_ name: String, _ term: Duration) -> RetentionTerms {
        var terms = RetentionTerms()
        switch name {
        case "delivered": terms.delivered = term
        case "rejected": terms.rejected = term
        case "held": terms.held = term
        default: terms.failed = term
        }
        return terms
    }

    @Test(arguments: ["delivered", "rejected", "failed", "held"])
    func `each term erases the cards that it covers when their time is over, and no others`(name: String) async throws {
        let cards = try await furnish()
        #expect(try await harness.eraseExpired(Self.terms(name, Self.day)) == [])
        harness.pass(Self.day)
        #expect(try await harness.eraseExpired(RetentionTerms()) == [])
        #expect(try await harness.eraseExpired(Self.terms(name, .zero)) == [])
        #expect(Set(try await harness.eraseExpired(Self.terms(name, Self.day))) == cards[name])
        #expect(try await harness.eraseExpired(Self.terms(name, Self.day)) == [])
        let reason = try await harness.value("SELECT DISTINCT reason FROM card WHERE state = 'erased'", as: String.self)
        #expect(reason == "retention")
    }

    @Test func `a call erases no more than its limit, the oldest first`() async throws {
        for index in 0..<20 { _ = try await harness.verified("\(index)", number: "N\(index)", .front) }
        // Not in the order of their intake.
        let jobs = try await harness.begin().reversed()
        for job in jobs {
            harness.pass(.seconds(1))
            try await harness.conclude(job, .accepted)
        }
        let cards = jobs.flatMap(\.members)
        harness.pass(Self.day)
        let terms = Self.terms("delivered", Self.day)
        #expect(Set(try await harness.eraseExpired(terms, limit: 18)) == Set(cards.prefix(18)))
        #expect(Set(try await harness.eraseExpired(terms, limit: 18)) == Set(cards.suffix(2)))
    }

    @Test func `what has expired is found by age, however many cards there are`() async throws {
        var terms = RetentionTerms()
        (terms.delivered, terms.rejected, terms.failed, terms.held) = (Self.day, Self.day, Self.day, Self.day)
        let queries = terms.expired(limit: 5, now: harness.now)
        #expect(queries.count == 6)
        for query in queries {
            let plan = try await harness.store.database.read { tx in
                try tx.rows("EXPLAIN QUERY PLAN \(query)") { row in
                    for _ in 0..<3 { _ = try row.next(Int64.self) }
                    return try row.next(String.self)
                }
            }
            let searches = plan.filter { !$0.contains("SUBQUERY") }
            #expect(searches.count == 2 && searches[0].contains("card_age (state=? AND changed_at<?)"))
            #expect(searches[1].hasPrefix("SEARCH decision USING"))
        }
    }

    @Test func `a clock that has jumped erases nothing until it has run for twenty hours`() async throws {
        let cards = try await furnish()
        let terms = Self.terms("delivered", Self.day)
        harness.pass(.seconds(8 * 86_400))
        #expect(try await harness.eraseExpired(terms) == [])
        try await harness.store.upkeep.heartbeat(of: harness.worker, now: harness.now)
        harness.pass(.seconds(19 * 3600))
        #expect(try await harness.eraseExpired(terms) == [])
        harness.pass(.seconds(3600))
        #expect(Set(try await harness.eraseExpired(terms)) == cards["delivered"])
    }

    @Test func `a clock that a person calls right erases at once`() async throws {
        let cards = try await furnish()
        harness.pass(.seconds(400 * 86_400))
        let terms = Self.terms("delivered", Self.day)
        #expect(try await harness.eraseExpired(terms) == [])
        #expect(Set(try await harness.eraseExpired(terms, clockIsRight: true)) == cards["delivered"])
        #expect(try await harness.store.upkeep.recordClock(harness.now).doubted == nil)
    }

    @Test func `a jump that went back, or again further ahead, begins its twenty hours once more`() async throws {
        let start = harness.now
        let ahead = start.advanced(by: .seconds(30 * 86_400))
        #expect(try await harness.store.upkeep.recordClock(ahead).doubted == ahead...ahead)
        #expect(try await harness.store.upkeep.recordClock(start.advanced(by: .seconds(5))).doubted == nil)
        #expect(try await harness.store.upkeep.recordClock(ahead.advanced(by: .seconds(21 * 3600))).doubted != nil)
        let further = ahead.advanced(by: .seconds(60 * 86_400))
        #expect(try await harness.store.upkeep.recordClock(further).doubted == further...further)
        let steady = further.advanced(by: .seconds(20 * 3600))
        #expect(try await harness.store.upkeep.recordClock(steady).last == steady)
    }

    @Test func `a clock that goes on in small steps counts as right, however far it comes`() async throws {
        for _ in 0..<10 {
            harness.pass(.seconds(6 * 86_400))
            #expect(try await harness.store.upkeep.recordClock(harness.now).doubted == nil)
        }
    }
}
