import CardModel

/// The replies of FaceID v3: one object with a dictionary for each field.
///
/// | key | value |
/// |---|---|
/// | `result` | 1001: a card without problems; 1002: a card with something abnormal; others are reserved |
/// | `side` | 0 front, 1 back |
/// | `name`, `gender`, `nationality` (民族), `address`, `idcard_number` | front |
/// | `birth_year`, `birth_month`, `birth_day` | front |
/// | `issued_by`, `valid_date_start`, `valid_date_end` | back; dates as `YYYYMMDD` |
/// | `legality` | object of scores, always, with `ID_Photo_Threshold` |
///
/// A field's dictionary is `{result: text, quality: number, logic: 0 or 1, rect: …}`. The text is used even if the quality is low, or
/// `logic` is 1, which means that the field contradicts another one: the verdict checks both, and can say what is wrong.
///
/// `result` 1002 means that a field is not recognised, has `logic` 1 or low quality, or that the legality is low. The reading is
/// marked abnormal but stays complete, so that the verdict can find out the cause; if it finds none, the reason is
/// `reading_abnormal`. Readings with other values are used without the mark, since the page asks to tolerate them.
///
/// Not documented: the reply to a photo without a card, and the spelling of 长期 in `valid_date_end`, which is passed on unchanged.
///
/// Source: faceid.com/pages/documents/10881005, faceid.com/faceid-open-doc/docs/idcard-api.html; the form of the dates
/// from two public programs.
enum FaceIDv3Reply: DialectReply {
    /// The `result` of a card with something abnormal.
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
        let (year, month, day) = (text("birth_year"), text("birth_month"), text("birth_day"))
        return CardFields(
            name: text("name"),
            gender: text("gender"),
            ethnicity: text("nationality"),
            birthDate: BirthDateText.joined(year: year, month: month, day: day),
            address: text("address"),
            number: text("idcard_number"),
            issuer: text("issued_by"),
            validity: self.validity(from: text("valid_date_start"), to: text("valid_date_end"))
        )
    }

    /// The text of a field's dictionary; a bare text is accepted, too.
    private static func text(_ field: JSONValue) -> String? {
        field.isObject ? field["result"]?.text : field.text
    }

    /// Joins two dates in the format of the other dialects; a date in another form than `YYYYMMDD` is not changed.
    private static func validity(from start: String?, to end: String?) -> String? {
        guard let start, let end else { return start ?? end.map { "-\($0)" } }
        if let first = self.dotted(start), let last = self.dotted(end) { return "\(first)-\(last)" }
        return "\(start)-\(end)"
    }

    private static func dotted(_ date: String) -> String? {
        guard date.utf8.count == 8, date.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return "\(date.prefix(4)).\(date.dropFirst(4).prefix(2)).\(date.suffix(2))"
    }
}
