import CardModel

/// The replies of Face++ cardpp v1: an array `cards`, empty if the photo shows none.
///
/// | key of a card | value |
/// |---|---|
/// | `type` | 1, an identity card; may be missing |
/// | `side` | `front` or `back` |
/// | `name`, `gender`, `race`, `address`, `id_card_number` | text, front; empty if undetermined |
/// | `birthday` | text `YYYY-MM-DD` |
/// | `issued_by`, `valid_date` | text, back |
/// | `legality` | object of scores, all zero for a key without a licence; missing in the vendor's sample of a back |
///
/// Source: console.faceplusplus.com.cn/documents/5671702, and the demos FacePlusPlus/MegviiIDCard-Android and -iOS.
enum Faceppv1Reply: DialectReply {
    /// The only documented type, that of an identity card.
    private static let identityCard = 1.0

    static func recognises(_ reply: JSONValue) -> Bool {
        switch reply["cards"] {
        case .array, .null: true
        default: false
        }
    }

    /// Reads all cards: the reading is that of the first card, and has the others in `others`.
    static func reading(_ reply: JSONValue) -> CardReading {
        let requestID = RequestID.text(of: reply["request_id"])
        let cards = (reply["cards"]?.elements ?? [])
            .filter(\.isObject)
            .filter { ($0["type"]?.double ?? self.identityCard) == self.identityCard }
            .map { CardReading(plain: $0, requestID: requestID) }
        guard var reading = cards.first else { return CardReading(side: nil, requestID: requestID) }
        reading.others = Array(cards.dropFirst())
        return reading
    }
}
