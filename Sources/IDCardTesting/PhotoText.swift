package import Foundation
package import IDCardCore

/// A photo for tests, as a line of text: `front;110101199003070011;anything` or `back;anything`.
///
/// The reading has nothing to find fault with but the number: name, gender and birth date go with it, a back is valid from
/// 2024 to 2044. A field of its own is named: `front;110101199003070011;name=样本乙;birth=1990-03-08`, and empty if not read:
/// `back;validity=`. A further card in the photo follows after `|`.
package struct PhotoText: Sendable {
    /// What the scripted verifier reads from it.
    package let reading: CardReading

    /// Reads the line.
    package init(_ image: Data) {
        let cards = String(decoding: image, as: UTF8.self).split(separator: "|").map { Self.card(String($0)) }
        var reading = cards.first ?? CardReading(side: nil)
        reading.others = Array(cards.dropFirst())
        self.reading = reading
    }

    private static func card(_ text: String) -> CardReading {
        let words = text.split(separator: ";").map(String.init)
        let side = words.first.flatMap(CardSide.init)
        let named = words.compactMap { word -> (String, String)? in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        let values = Dictionary(named) { $1 }
        let fields: CardFields? =
            switch side {
            case .front: self.front(number: words.dropFirst().first, values)
            case .back: self.back(values)
            case nil: nil
            }
        let score = values["legality"].flatMap(Double.init) ?? 0.95
        return CardReading(
            side: side,
            fields: fields ?? CardFields(),
            legality: Legality(vendorScores: ["ID Photo": score, "Photocopy": 1 - score])
        )
    }

    private static func front(number: String?, _ values: [String: String]) -> CardFields {
        let digits = Array(number ?? "")
        let isWhole = digits.count == 18
        let isMan = isWhole && digits[16].wholeNumberValue.map { !$0.isMultiple(of: 2) } ?? false
        return CardFields(
            name: values["name"] ?? "样本甲",
            gender: values["gender"] ?? (isWhole ? (isMan ? "男" : "女") : nil),
            ethnicity: values["ethnicity"] ?? "汉",
            birthDate: values["birth"] ?? (isWhole ? String(digits[6..<14]) : nil),
            address: "样本路1号",
            number: number
        )
    }

    private static func back(_ values: [String: String]) -> CardFields {
        CardFields(
            issuer: values["issuer"] ?? "样本市公安局",
            validity: values["validity"] ?? "2024.01.01-2044.01.01"
        )
    }
}
