import CardModel

/// Reads what a dialect answers when it answers with a reading; errors are alike in all dialects.
///
/// Lenient: keys may be missing and unknown ones are passed over, a number may come as text and a text as a number.
protocol DialectReply {
    /// Whether an object carries a mark of this dialect, one that no other has.
    static func recognises(_ reply: JSONValue) -> Bool

    /// Whether an object that carries no dialect's mark is this dialect's way of saying that there is no card.
    static func isNoCard(_ reply: JSONValue) -> Bool

    /// Makes a reading of an object for which one of the others says yes.
    static func reading(_ reply: JSONValue) -> CardReading
}

extension DialectReply {
    /// No: without its mark it is not this dialect's.
    static func isNoCard(_ reply: JSONValue) -> Bool { false }
}

extension CardFields {
    /// Reads the fields of a card under the names that FaceID v1 and Face++ share, as plain text; any may be missing.
    init(plain card: JSONValue) {
        self.init(
            name: card["name"]?.text,
            gender: card["gender"]?.text,
            ethnicity: card["race"]?.text,
            birthDate: card["birthday"].flatMap(BirthDateText.init)?.text,
            address: card["address"]?.text,
            number: card["id_card_number"]?.text,
            issuer: card["issued_by"]?.text,
            validity: card["valid_date"]?.text
        )
    }
}

extension Legality {
    /// Reads the scores of a reply, which all dialects spell in their own way; `nil` if they are unavailable.
    ///
    /// The vendor announces further classes, so every key counts, that of FaceID v3's threshold included, which is told apart by
    /// its name. What is no number from 0 to 1 is no score.
    init?(reply value: JSONValue) {
        var scores: [String: Double] = [:]
        for member in value.members {
            guard let score = member.value.double, (0...1).contains(score) else { continue }
            // Which of two scores of one class counts, nobody can say.
            guard scores.updateValue(score, forKey: member.name) == nil else { return nil }
        }
        self.init(vendorScores: scores)
    }
}

/// The service's own name for a call, such as `1457432550,b70ab3a8-…`, which its support asks for.
///
/// It is stored and shown in clear, so whatever else a reply has in its place is not taken for one.
enum RequestID {
    /// Reads `<seconds>,<uuid>`, or any other 1 to 100 letters, digits and `,-_.:`; `nil` for anything else.
    static func text(of value: JSONValue?) -> String? {
        guard let text = value?.text, (1...100).contains(text.utf8.count) else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: ",-_.:".utf8.contains(byte)
            }
        }
        return isPlain ? text : nil
    }
}
