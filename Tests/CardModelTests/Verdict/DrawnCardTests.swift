import CardModel
import Foundation
import Testing

/// The true fields of the drawn cards in `fixtures`, judged without reading the pictures.
@Suite struct DrawnCardTests {
    private struct Truth: Decodable {
        var businessNo: String?
        var side: CardSide?
        var fields: [String: String]?
        var expected: String?

        var reading: CardReading {
            let fields = self.fields ?? [:]
            return CardReading(
                side: self.side,
                fields: CardFields(
                    name: fields["name"],
                    gender: fields["gender"],
                    ethnicity: fields["ethnicity"],
                    birthDate: fields["birth"],
                    number: fields["number"],
                    issuer: fields["issuer"],
                    validity: fields["valid_from"].map { "\($0)-\(fields["valid_to"] ?? "")" }
                ),
                legality: .good
            )
        }
    }

    @Test func `Every card that is to be delivered passes every rule without a warning, and each pair`() throws {
        var project = URL(filePath: #filePath)
        for _ in 1...4 { project.deleteLastPathComponent() }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let data = try Data(contentsOf: project.appending(path: "fixtures/truth.json"))
        let cards = try decoder.decode([String: Truth].self, from: data).filter { $0.value.expected == "delivered" }
        #expect(cards.count >= 40)
        for (path, truth) in cards { #expect(VerdictRules().codes(truth.reading) == [], "\(path)") }
        let numbers = Dictionary(grouping: cards.values.filter { $0.businessNo != nil }, by: \.businessNo)
        let pairs = numbers.values.filter { Set($0.compactMap(\.side)) == [.front, .back] }
        #expect(pairs.count >= 15)
        for pair in pairs {
            let front = try #require(pair.first { $0.side == .front }?.reading)
            let back = try #require(pair.first { $0.side == .back }?.reading)
            #expect(VerdictRules().judgePair(front: front, back: back).isEmpty, "\(pair[0].businessNo ?? "")")
        }
    }
}
