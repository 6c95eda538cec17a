package import IDCardCore

/// What intake made of one input.
package enum InputResult: Hashable, Sendable {
    /// A new card.
    case admitted(Card)
    /// The card was there already; `wasRead` tells whether the file had to be read to know.
    case duplicate(Card, wasRead: Bool)
    /// Refused without a card.
    case refused(ReasonCode, message: String)
    /// Not an image by content nor by extension.
    case ignored

    /// Whether the input was refused without a card.
    package var isRefusal: Bool { if case .refused = self { true } else { false } }

    /// The card that the input is; `nil` if it became none.
    package var cardID: CardID? {
        switch self {
        case .admitted(let card), .duplicate(let card, _): card.id
        case .refused, .ignored: nil
        }
    }
}
