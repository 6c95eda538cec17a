import CardModel
import TestSupport
import Testing

@testable import CardStore

/// The last digits of ids, by which people name cards.
@Suite final class ShortIDTests: StoreSuite {
    private static let ids = [
        "01a21dbf-3141-724f-9453-8d27d23e94a7", "01a21dbf-3141-724f-9453-8d2ad23e94a7",
        "01a21dbf-3142-724f-9454-8d27d23e94a7", "01a21dbf-3143-724f-9453-8d27d23e94a8",
    ]

    private func admitAll() async throws {
        for (place, id) in Self.ids.enumerated() {
            var photo = harness.photo("\(place)", number: "N-\(place)")
            photo.id = CardID(rawValue: id)
            try await harness.admit(photo)
        }
    }

    private func id(_ text: String) async throws -> String {
        try await harness.store.listings.ids(matching: [text])[0].rawValue
    }

    @Test func `the last eight digits are an id, in capitals, too, and so are more of them`() async throws {
        try await admitAll()
        for text in ["d23e94a8", "D23E94A8", "27d23e94a8", "9453-8d27d23e94a8", Self.ids[3], Self.ids[3].uppercased()] {
            #expect(try await id(text) == Self.ids[3], "\(text)")
        }
        // What names no card is left to the command.
        for text in ["d23e94a9", "no-such-card", ""] { #expect(try await id(text) == text) }
        let refusal = await #expect(throws: CodedError.self) { try await self.id("23e94a8") }
        #expect(refusal?.code.rawValue == "id_too_short" && refusal?.kind == .usage)
        #expect(refusal?.message.text().contains("at least its last 8 digits") == true)
    }

    @Test func `digits that several ids end in are refused with these ids`() async throws {
        try await admitAll()
        let refusal = await #expect(throws: CodedError.self) { try await self.id("d23e94a7") }
        #expect(refusal?.code.rawValue == "id_ambiguous" && refusal?.kind == .usage)
        for (place, id) in Self.ids.enumerated() {
            #expect(refusal?.message.text().contains(id) == (place < 3), "\(id)")
        }
        #expect(try await id("8d2ad23e94a7") == Self.ids[1])
    }

    @Test func `an id is shown with as many digits as tell it from all others`() async throws {
        try await admitAll()
        let cards = Self.ids.map(CardID.init(rawValue:))
        let short = try await harness.store.listings.shortIDs(of: cards)
        #expect(cards.map { short[$0] } == ["3-8d27d23e94a7", "ad23e94a7", "4-8d27d23e94a7", "d23e94a8"])
        for card in cards { #expect(try await id(#require(short[card])) == card.rawValue) }
    }
}
