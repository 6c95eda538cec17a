import CardModel
import Foundation
import Testing

@Suite struct CardReadingTests {
    private static let front = CardReading.front()
    private static let back = CardReading.back()
    private static let nothing = CardReading(side: nil)

    private static func photo(_ cards: CardReading...) -> CardReading {
        var first = cards[0]
        first.others = Array(cards.dropFirst())
        return first
    }

    @Test(arguments: [
        front, back, nothing, photo(front, back, nothing),
        CardReading(
            side: .front,
            legality: Legality(vendorScores: ["ID_Photo": 0.5], vendorThreshold: 0.7),
            isAbnormal: true
        ),
    ])
    func `A reading survives being stored, other cards and all`(reading: CardReading) throws {
        #expect(try JSONDecoder().decode(CardReading.self, from: try JSONEncoder().encode(reading)) == reading)
    }

    @Test(arguments: [
        (photo(back, front) as CardReading, .front as CardSide?, photo(front, back) as CardReading?),
        (photo(back, nothing, front), .front, photo(front, back, nothing)),
        (photo(front, back), .front, photo(front, back)), (photo(back, front), nil, nil),
        (photo(back, front, front), .front, nil), (photo(back, back), .front, nil),
        (photo(nothing, nothing), .front, nil), (front, .front, nil), (front, .back, nil), (nothing, .front, nil),
    ])
    func `The one card of a side comes first; where none is named, or not one shows it, the reading stays`(
        reading: CardReading,
        side: CardSide?,
        selected: CardReading?
    ) {
        #expect(reading.selecting(side) == selected ?? reading)
    }

    @Test func `A chosen card without a request id of its own has that of its photo`() {
        var front = Self.front
        front.requestID = nil
        #expect(Self.photo(Self.back, front).selecting(.front).requestID == "request-back")
        #expect(Self.photo(Self.back, Self.front).selecting(.front).requestID == "request-front")
    }

    @Test(arguments: [CardSide?.none, .front, .back])
    func `A selected reading is judged as the one it was selected of`(side: CardSide?) {
        let expectation = CardMetadata.holder(side: side)
        var fake = Self.front
        fake.legality = Legality(vendorScores: ["ID Photo": 0.1, "Screen": 0.9])
        let photos = [
            Self.photo(Self.back, Self.front), Self.photo(Self.front, Self.back), Self.photo(Self.back, fake),
            Self.photo(Self.front, Self.front), Self.photo(Self.nothing, Self.back, Self.front),
            Self.photo(Self.back, Self.back, Self.front), Self.front, Self.nothing,
        ]
        for photo in photos {
            for rules in [VerdictRules(), VerdictRules(severities: [.severalCards: .off, .sideMismatch: .warn])] {
                let judgement = rules.judge(photo, expecting: expectation, today: .today)
                let selected = photo.selecting(side)
                #expect(rules.judge(selected, expecting: expectation, today: .today) == judgement)
                #expect(selected.selecting(side) == selected)
            }
        }
    }
}
