import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@Suite("What the verdict does to a card", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct VerdictTests {
    /// A photo with what its sender expects it to show.
    private static func photo(
        _ harness: PipelineHarness,
        _ text: String,
        number: String? = nil,
        name: String? = nil,
        side: CardSide? = nil
    ) throws -> IntakeItem {
        var item = try harness.photo("1.jpg", text)
        let businessNumber = try #require(BusinessNumber("B-1"))
        item.disposition = .take(
            CardMetadata(
                businessNumber: businessNumber,
                expectedIDNumber: number.map(Redacted.init),
                expectedName: name.map(Redacted.init),
                side: side
            )
        )
        return item
    }

    /// The codes of the warnings in the history of the only card.
    private static func warnings(_ harness: PipelineHarness) async throws -> [String?] {
        let card = try #require(try await harness.cards().first)
        let events = try #require(try await harness.store.details(of: card.id)).events
        return events.filter { $0.kind == "warning" }.map(\.code)
    }

    @Test(
        "A stranger's card is refused; with the expectation put right it is judged anew from the kept reading",
        arguments: StoreKind.allCases
    )
    func holderMismatch(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        let text = "front;\(Holder.first)"
        let wrong = try Self.photo(harness, text, number: Holder.second, name: "样本甲")
        #expect(try await harness.run([wrong]) == .complete)
        #expect(try await harness.states() == ["rejected:holder_number_mismatch"])
        #expect(harness.backend.attempts.isEmpty)
        let stillWrong = try Self.photo(harness, text, number: Holder.first, name: "样本乙")
        #expect(try await harness.run([stillWrong]) == .complete)
        #expect(try await harness.states() == ["rejected:holder_name_mismatch"])
        let right = try Self.photo(harness, text, name: "样 本 甲")
        #expect(try await harness.run([right]) == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(harness.verifier.images.count == 1, "the reading was paid for again")
    }

    @Test("A rule set to hold leaves the card to a person", arguments: StoreKind.allCases)
    func hold(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind) { $0.verdict = VerdictRules(severities: [.expired: .hold]) }
        let expired = try harness.photo("1.jpg", "back;validity=2000.01.01-2010.01.01")
        #expect(try await harness.run([expired]) == .complete)
        #expect(try await harness.states() == ["held:expired"])
        #expect(harness.backend.attempts.isEmpty)
    }

    @Test("A rule set to warn lets the card go, and its history says so", arguments: StoreKind.allCases)
    func warn(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind) { $0.verdict = VerdictRules(severities: [.genderMismatch: .warn]) }
        let odd = try harness.photo("1.jpg", "front;\(Holder.first);gender=女;ethnicity=冯")
        #expect(try await harness.run([odd]) == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(try await Self.warnings(harness) == ["gender_mismatch", "ethnicity_unknown"])
    }

    @Test("A card with nothing to find fault with has no warnings", arguments: ["front;\(Holder.first)", "back;x"])
    func spotless(text: String) async throws {
        let harness = try PipelineHarness(.sqlite)
        #expect(try await harness.run([try Self.photo(harness, text)]) == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(try await Self.warnings(harness) == [])
    }

    @Test("Of two cards in a photo the expected side is judged and kept as the card's", arguments: StoreKind.allCases)
    func severalCards(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        let text = "back;x|front;\(Holder.first)"
        #expect(try await harness.run([try Self.photo(harness, text)]) == .complete)
        #expect(try await harness.states() == ["rejected:several_cards"])
        #expect(try await harness.run([try Self.photo(harness, text, side: .front)]) == .complete)
        #expect(try await harness.states() == ["delivered"])
        let card = try #require(try await harness.cards().first)
        #expect(card.side == .front)
        let reading = try #require(try await harness.store.details(of: card.id)?.reading)
        #expect(reading.fields.number == Redacted(Holder.first))
        #expect(reading.others.map(\.side) == [.back])
        #expect(harness.verifier.images.count == 1, "the reading was paid for again")
    }
}
