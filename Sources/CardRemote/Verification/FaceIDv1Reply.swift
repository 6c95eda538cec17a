import CardModel

/// The replies of FaceID v1: one object with `side` and the fields as texts.
///
/// | key | value |
/// |---|---|
/// | `side` | `front` or `back` |
/// | `name`, `gender`, `race`, `address`, `id_card_number` | text, front |
/// | `birthday` | object of the texts `year`, `month`, `day`, not padded with zeros |
/// | `head_rect` | corners of the portrait; not read |
/// | `issued_by`, `valid_date` | text, back; either may be missing |
/// | `legality` | object of scores; one sample has the key `"Temporary ID Photo "` with a blank at its end |
///
/// The answer to a photo without a card is not documented. An object without `side` counts as such an answer if it has only keys of
/// this dialect; so an object of a gateway (`{"request_id": …, "status": …}`) does not.
///
/// Source: an integrator's copy of "OCRIDCard v1.0.0" and the public SDK zuochengyao/MegviiFaceID.
enum FaceIDv1Reply: DialectReply {
    private static let sideMarks = ["id_card_number", "race", "birthday", "head_rect", "valid_date"]
    private static let sharedKeys = ["name", "gender", "address", "issued_by"]
    /// Every documented key, and the keys of errors, which may be present and empty.
    private static let knownKeys = Set(
        ["request_id", "time_used", "side", "legality"] + sideMarks + sharedKeys + ReplyReading.errorKeys
    )

    static func recognises(_ reply: JSONValue) -> Bool {
        // A numeric side belongs to v3.
        if let side = reply["side"]?.text, reply["side"]?.double == nil, !side.isEmpty { return true }
        guard self.knownKeys.isSuperset(of: reply.members.map(\.name)) else { return false }
        return self.sideMarks.contains { reply[$0] != nil } || self.sharedKeys.contains { reply[$0]?.text != nil }
    }

    static func isNoCard(_ reply: JSONValue) -> Bool {
        guard self.knownKeys.isSuperset(of: reply.members.map(\.name)) else { return false }
        return reply["request_id"]?.text != nil || reply["time_used"]?.double != nil
    }

    static func reading(_ reply: JSONValue) -> CardReading {
        CardReading(plain: reply, requestID: RequestID.text(of: reply["request_id"]))
    }
}
