import CardModel
import TestSupport
import Testing

@testable import CardStore

/// Following the changes of cards: none is left out.
@Suite final class ChangeListingTests: StoreSuite {
    private func changes(
        since event: Int64,
        limit: Int = 100,
        _ filter: CardFilter = CardFilter(),
        for caller: Caller = .process
    ) async throws -> SandboxListings.Changes {
        try await harness.store.listings.changes(filter, since: event, limit: limit, for: caller)
    }

    @Test func `each change is told once it is asked for, a change of the reason alone, too`() async throws {
        let front = try await harness.admit(harness.photo("front", number: "N")).card
        let back = try await harness.admit(harness.photo("back", number: "N")).card
        let all = try await changes(since: 0)
        #expect(all.cards.map(\.id) == [front, back] && !all.hasMore)
        #expect(try await changes(since: all.last).cards.isEmpty)
        // The back is verified, and waits for the front.
        for job in try await harness.claim() where job.card.id == back {
            try await harness.conclude(job, side: .back, number: nil)
        }
        let verified = try await changes(since: all.last)
        #expect(verified.cards.map(\.id) == [back] && verified.cards.first?.reason == nil)
        #expect(try await harness.begin().isEmpty)
        let waiting = try await changes(since: verified.last)
        #expect(waiting.cards.map(\.reason) == [.waitsForVerification])
        // One that does not move is not told again.
        #expect(try await harness.begin().isEmpty)
        #expect(try await changes(since: waiting.last).cards.isEmpty)
    }

    @Test func `pages go on where the one before ended, whatever their size, and pass over what is not asked for`()
        async throws
    {
        var cards: [CardID] = []
        for number in 1...7 {
            cards.append(try await harness.admit(harness.photo("\(number)", number: "N\(number)")).card)
        }
        for limit in 1...8 {
            var (reporting, last, pages) = ([CardID](), Int64(0), 0)
            var hasMore = true
            while hasMore {
                let page = try await changes(since: last, limit: limit)
                reporting += page.cards.map(\.id)
                (last, hasMore, pages) = (page.last, page.hasMore, pages + 1)
            }
            #expect(reporting == cards && pages == (7 + limit - 1) / limit)
        }
        var filter = CardFilter()
        filter.number = BusinessNumber(stored: "N4")
        let one = try await changes(since: 0, limit: 2, filter)
        #expect(one.cards.map(\.id) == [cards[3]] && !one.hasMore)
        let stranger = Caller(subject: "stranger", scopes: [.read])
        let none = try await changes(since: 0, limit: 2, for: stranger)
        #expect(none.cards.isEmpty && none.last == one.last)
    }

    @Test func `an erasure is told, too`() async throws {
        let card = try await harness.admit(harness.photo("front", number: "N")).card
        let heard = try await changes(since: 0).last
        try await harness.erase(card)
        #expect(try await changes(since: heard).cards.map(\.state) == [.erased])
    }
}
