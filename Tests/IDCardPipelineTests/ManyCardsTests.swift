import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@Suite("Many cards under one business number", .timeLimit(.minutes(Sanitizer.minutes(3))))
struct ManyCardsTests {
    /// How many cards the rules look at in all, from intake to delivery.
    private func cardsLookedAt(_ count: Int) async throws -> Int {
        let harness = try PipelineHarness(.memory)
        let items = try (0..<count).map { index in
            try harness.photo(
                "\(index).jpg",
                index.isMultiple(of: 2) ? "back;\(index)" : "front;\(Holder.first);\(index)"
            )
        }
        #expect(try await harness.run(items) == .complete)
        let states = try await harness.cards().map(\.state)
        #expect(states.count == count && states.suffix(2) == [.delivered, .delivered])
        #expect(Set(states.dropLast(2)) == [.superseded])
        return try #require(harness.store as? InMemoryStore).cardsLookedAt
    }

    @Test("The cost of deciding grows with their number, not with its square")
    func cost() async throws {
        let few = try await self.cardsLookedAt(200)
        let many = try await self.cardsLookedAt(800)
        // Four times as many cards; a decision per card would look at sixteen times as many.
        #expect(many < 8 * few, "\(few) and \(many) cards")
    }
}
