import IDCardCore

/// An identifier of a card as its 128 bits: its text takes five times as much, for every card of a run.
enum RunCardID: Hashable, Sendable {
    /// A UUID in its canonical form.
    case uuid(high: UInt64, low: UInt64)
    /// Anything else.
    case text(CardID)

    init(_ id: CardID) {
        if let bits = UUIDText.bits(of: id.rawValue) {
            self = .uuid(high: bits.high, low: bits.low)
        } else {
            self = .text(id)
        }
    }

    /// The identifier itself.
    var cardID: CardID {
        switch self {
        case .uuid(let high, let low): CardID(rawValue: UUIDText.text(high: high, low: low))
        case .text(let id): id
        }
    }
}
