import CardModel
import Foundation
import Testing

/// The true fields of the drawn cards in `fixtures`, judged without reading the pictures.
@Suite struct DrawnCardTests {
    private struct Truth: Decodable {
        struct Fields: Decodable {
            var name: String?
            var gender: String?
            var ethnicity: String?
            var birth: String?
            var number: String?
            var issuer: String?
            var validFrom: String?
            var validTo: String?

            enum CodingKeys: String, CodingKey {
                case name, gender, ethnicity, birth, number, issuer
                case validFrom = "valid_from"
                case validTo = "valid_to"
            }
        }

        var businessNumber: String?
        var side: String?
        var fields: Fields?
        var expected: String?

        enum CodingKeys: String, CodingKey {
            case side, fields, expected
            case businessNumber = "business_no"
        }

        var reading: CardReading? {
            guard let side = self.side.flatMap({ CardSide(rawValue: $0) }), let fields = self.fields else { return nil }
            return CardReading(
                side: side,
                fields: CardFields(
                    name: fields.name,
                    gender: fields.gender,
                    ethnicity: fields.ethnicity,
                    birthDate: fields.birth,
                    number: fields.number,
                    issuer: fields.issuer,
                    validity: fields.validFrom.map { "\($0)-\(fields.validTo ?? "")" }
                ),
                legality: .good
            )
        }
    }

    private let truths: [String: Truth]

    init() throws {
        var project = URL(filePath: #filePath)
        for _ in 1...4 { project.deleteLastPathComponent() }
        let data = try Data(contentsOf: project.appending(path: "fixtures/truth.json"))
        self.truths = try JSONDecoder().decode([String: Truth].self, from: data)
    }

    @Test func `Every card that is to be delivered passes every rule without a warning`() throws {
        let cards = self.truths.filter { $0.value.expected == "delivered" }
        #expect(cards.count >= 40)
        for (path, truth) in cards {
            #expect(VerdictRules().codes(try #require(truth.reading)) == [], "\(path)")
        }
    }

    @Test func `Front and back of every business number go together`() throws {
        let cards = self.truths.values.filter { $0.expected == "delivered" && $0.businessNumber != nil }
        let numbers = Dictionary(grouping: cards, by: { $0.businessNumber ?? "" })
        let pairs = numbers.values.filter { Set($0.compactMap(\.side)) == ["front", "back"] }
        #expect(pairs.count >= 15)
        for pair in pairs {
            let front = try #require(pair.first { $0.side == "front" }?.reading)
            let back = try #require(pair.first { $0.side == "back" }?.reading)
            #expect(VerdictRules().judgePair(front: front, back: back).isEmpty, "\(pair[0].businessNumber ?? "")")
        }
    }

    @Test func `The card with a wrong check digit is refused for it`() throws {
        let card = try #require(self.truths["refused/REFUSED-CHECK-DIGIT/front.jpg"]?.reading)
        #expect(VerdictRules().codes(card) == ["id_number_checksum"])
    }
}
