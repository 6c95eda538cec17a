import CardModel
import TestSupport
import Testing

@testable import CardStore

/// Where cases stand, since when, and in which order they are listed.
@Suite final class CaseListingTests: StoreSuite {
    private func rejected(_ side: CardSide) async throws -> CardID {
        let card = try await harness.admit(harness.photo("\(side)", number: "N", side: side)).card
        let verdict = Verdict.rejected(VerdictRule.legalityLow.reason, message: "no")
        try await harness.conclude(#require(try await harness.claim().first), CardReading(side: side), verdict)
        return card
    }

    private func status(_ number: String) async throws -> (card: CardID?, since: Timestamp)? {
        var filter = CaseFilter()
        filter.number = BusinessNumber(stored: number)
        let found = try await harness.store.listings.cases(filter, after: nil, limit: 2, for: .process).cases
        return found.first.map { ($0.cardID, $0.since) }
    }

    @Test func `of a refused front and a back that waits, the front alone is missing`() async throws {
        _ = try await rejected(.front)
        func missing() async throws -> [CardSide] {
            var filter = CaseFilter()
            filter.number = BusinessNumber(stored: "N")
            let found = try await harness.store.listings.cases(filter, after: nil, limit: 1, for: .process).cases
            return try #require(found.first).missing
        }
        #expect(try await missing() == [.front, .back])
        _ = try await harness.admit(harness.photo("back", number: "N", side: .back))
        try await harness.conclude(#require(try await harness.claim().first), side: .back, number: nil)
        #expect(try await missing() == [.front])
    }

    @Test func `a case stands there since its cause, whatever its other cards do`() async throws {
        let front = try await rejected(.front)
        let began = try #require(await status("N")).since
        harness.now = harness.now.advanced(by: .seconds(60))
        let back = try await rejected(.back)
        let now = try #require(await status("N"))
        #expect(now.card == front && now.since == began)
        harness.now = harness.now.advanced(by: .seconds(60))
        try await harness.resolve(front, .seen)
        let second = try #require(await status("N"))
        #expect(second.card == back && second.since.duration(since: began) >= .seconds(120))
    }
}
