import CardModel

/// The replies of FaceID v3: one object with a dictionary for each field.
///
/// | key | value |
/// |---|---|
/// | `result` | 1001: a card without problems; 1002: a card, something abnormal; others are reserved and say nothing |
/// | `side` | 0 front, 1 back |
/// | `name`, `gender`, `nationality` (民族), `address`, `idcard_number` | front |
/// | `birth_year`, `birth_month`, `birth_day` | front |
/// | `issued_by`, `valid_date_start`, `valid_date_end` | back; dates as `YYYYMMDD` |
/// | `legality` | object of scores, always, with `ID_Photo_Threshold` |
///
/// A field's dictionary is `{result: text, quality: number, logic: 0 or 1, rect: …}`. A field of low quality, or one
/// with `logic` 1 (it contradicts another), keeps its text: the verdict has rules of its own for both and says which
/// one is broken, the service does not.
///
/// So with `result`: 1002 means any of a field not recognised, `logic` 1, low quality or low legality. The reading is
/// marked abnormal and nothing of it is left out, so that the verdict can name the legality, or whatever else it finds,
/// as the reason; where it finds nothing, the mark remains (`reading_abnormal`).
///
/// The page reserves the other values of `result` and asks to tolerate them: the reading is kept and not marked, and
/// the verdict judges by what was read.
///
/// Not confirmed: what those other values mean, the reply to a photo without a card, and how 长期 is spelled in
/// `valid_date_end`. Whatever stands there is carried as it is.
///
/// Source: faceid.com/pages/documents/10881005, faceid.com/faceid-open-doc/docs/idcard-api.html; the form of the dates
/// from two public programs.
enum FaceIDv3Reply: DialectReply {
    /// A card, something abnormal.
    private static let abnormal = 1002.0
    private static let marks = [
        "nationality", "birth_year", "birth_month", "birth_day", "idcard_number", "valid_date_start", "valid_date_end",
    ]
    private static let sharedKeys = ["name", "gender", "address", "issued_by"]

    static func recognises(_ reply: JSONValue) -> Bool {
        if reply["result"]?.double != nil || reply["side"]?.double != nil { return true }
        return self.marks.contains { reply[$0] != nil } || self.sharedKeys.contains { reply[$0]?.isObject ?? false }
    }

    static func reading(_ reply: JSONValue) -> CardReading {
        CardReading(
            side: self.side(reply["side"]),
            fields: self.fields(reply),
            legality: reply["legality"].flatMap(Legality.init(reply:)),
            requestID: RequestID.text(of: reply["request_id"]),
            isAbnormal: reply["result"]?.double == self.abnormal
        )
    }

    private static func side(_ value: JSONValue?) -> CardSide? {
        switch value?.double {
        case 0: .front
        case 1: .back
        default: value?.text.flatMap(CardSide.init(rawValue:))
        }
    }

    private static func fields(_ reply: JSONValue) -> CardFields {
        func text(_ key: String) -> String? { reply[key].flatMap(self.text) }
        return CardFields(
            name: text("name"),
            gender: text("gender"),
            ethnicity: text("nationality"),
            birthDate: BirthDateText.joined(
                year: text("birth_year"),
                month: text("birth_month"),
                day: text("birth_day")
            ),
            address: text("address"),
            number: text("idcard_number"),
            issuer: text("issued_by"),
            validity: self.validity(from: text("valid_date_start"), to: text("valid_date_end"))
        )
    }

    /// The text of a field's dictionary; a bare text is taken too.
    private static func text(_ field: JSONValue) -> String? {
        field.isObject ? field["result"]?.text : field.text
    }

    /// Joins two dates as the other dialects print them; what is not `YYYYMMDD` stays as it is.
    private static func validity(from start: String?, to end: String?) -> String? {
        guard let start, let end else { return start ?? end.map { "-\($0)" } }
        if let first = self.dotted(start), let last = self.dotted(end) { return "\(first)-\(last)" }
        return "\(start)-\(end)"
    }

    private static func dotted(_ date: String) -> String? {
        guard date.utf8.count == 8, date.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return "\(date.prefix(4)).\(date.dropFirst(4).prefix(2)).\(date.suffix(2))"
    }
}
