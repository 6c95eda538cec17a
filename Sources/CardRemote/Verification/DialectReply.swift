import CardModel
import MultipartForm

/// Reads the readings of a dialect; errors have the same form in all dialects (see ``VendorError``). Keys may be missing, unknown
/// keys are ignored, and a number may be written as a text and the reverse.
protocol DialectReply {
    /// Whether an object has a mark of this dialect: a key or a type of value that no other dialect has.
    static func recognises(_ reply: JSONValue) -> Bool

    /// Whether an object without a mark of any dialect is this dialect's answer to a photo without a card.
    static func isNoCard(_ reply: JSONValue) -> Bool

    /// Makes a reading of an object for which `recognises` or `isNoCard` is true.
    static func reading(_ reply: JSONValue) -> CardReading
}

extension DialectReply {
    /// Returns `false`: by default, an object without a mark of the dialect is not an answer in it.
    static func isNoCard(_ reply: JSONValue) -> Bool { false }
}

extension CardReading {
    /// Reads a card with the key names of FaceID v1 and Face++, whose fields are plain texts; any field may be missing.
    init(plain card: JSONValue, requestID: String?) {
        self.init(
            side: card["side"]?.text.flatMap(CardSide.init(rawValue:)),
            fields: CardFields(
                name: card["name"]?.text,
                gender: card["gender"]?.text,
                ethnicity: card["race"]?.text,
                birthDate: card["birthday"].flatMap(BirthDateText.text),
                address: card["address"]?.text,
                number: card["id_card_number"]?.text,
                issuer: card["issued_by"]?.text,
                validity: card["valid_date"]?.text
            ),
            legality: card["legality"].flatMap(Legality.init(reply:)),
            requestID: requestID
        )
    }
}

extension Legality {
    /// Reads the scores of a reply, whose names differ by dialect; `nil` if they are unavailable. Every key counts as a class,
    /// since the vendor announces further ones; FaceID v3's threshold is recognised by its name. A value that is not a number
    /// from 0 to 1 is not a score.
    init?(reply value: JSONValue) {
        var scores: [String: Double] = [:]
        for member in value.members {
            guard let score = member.value.double, (0...1).contains(score) else { continue }
            // If a class occurs twice, it is unknown which score counts.
            guard scores.updateValue(score, forKey: member.name) == nil else { return nil }
        }
        self.init(vendorScores: scores)
    }
}

/// The service's identifier of a call, such as `1457432550,b70ab3a8-…`, which its support asks for. It is stored and shown in the
/// clear, so anything else in its field is ignored.
enum RequestID {
    /// Reads `<seconds>,<uuid>`, or any other 1 to 100 letters, digits and `,-_.:`; `nil` for anything else.
    static func text(of value: JSONValue?) -> String? {
        guard let text = value?.text, (1...100).contains(text.utf8.count) else { return nil }
        return text.utf8.allSatisfy { $0.isASCIIAlphanumeric || ",-_.:".utf8.contains($0) } ? text : nil
    }
}

/// Reads the birth date of a reply, as `YYYY-MM-DD`.
///
/// FaceID v1 sends an object of texts without leading zeros, Face++ a text, FaceID v3 three fields. The date is not checked
/// against the calendar, which is left to the verdict.
///
/// An unreadable date, such as `2月30日`, is kept as received: the verdict compares it with the identity number, and finds that
/// they differ. It would skip a missing date, and an altered card could pass.
enum BirthDateText {
    /// Stands for a missing value, or one that is not a text; no valid date contains it.
    private static let unreadable = "?"

    /// Reads the object of FaceID v1 or the text of Face++; `nil` if it is empty.
    static func text(of value: JSONValue) -> String? {
        switch value {
        case .null, .boolean(false), .object([]), .array([]): return nil
        case .object where !["year", "month", "day"].allSatisfy { value[$0] == nil }:
            return self.joined(year: value["year"]?.text, month: value["month"]?.text, day: value["day"]?.text)
        case .string, .number:
            guard let text = value.text else { return nil }
            let parts = self.split(text)
            return parts.count == 3 ? self.date(parts[0], parts[1], parts[2]) ?? text : text
        case .object, .array, .boolean: return self.unreadable
        }
    }

    /// Joins three numbers, some of which may be missing; `nil` if all are missing.
    static func joined(year: String?, month: String?, day: String?) -> String? {
        let parts = [year, month, day]
        guard parts.contains(where: { $0 != nil }) else { return nil }
        let read = parts.map { $0 ?? self.unreadable }
        return self.date(read[0], read[1], read[2]) ?? read.joined(separator: "-")
    }

    /// Returns `YYYY-MM-DD`; `nil` unless all three are plausible numbers.
    private static func date(_ year: String, _ month: String, _ day: String) -> String? {
        guard let year = Int(year), let month = Int(month), let day = Int(day) else { return nil }
        guard (1000...9999).contains(year), (1...99).contains(month), (1...99).contains(day) else { return nil }
        return "\(year)-\(self.padded(month))-\(self.padded(day))"
    }

    /// Splits `1990-03-07`, `1990.3.7`, `1990年3月7日` and `19900307`.
    private static func split(_ text: String) -> [String] {
        let groups = text.split { !("0"..."9").contains($0) }.map(String.init)
        guard groups.count == 1, let digits = groups.first, digits.count == 8 else { return groups }
        return [String(digits.prefix(4)), String(digits.dropFirst(4).prefix(2)), String(digits.suffix(2))]
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
