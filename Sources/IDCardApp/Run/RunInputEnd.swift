import IDCardCore

/// Under what an input of a run is counted.
enum RunInputEnd: Hashable, Sendable {
    /// This run moved the card, and it is in this state now.
    case moved(CardState)
    /// Refused without a card (`business_no_missing`, an unreadable file).
    case refused
    /// The card was there before, or another input of this run is the same card; this run did not move it.
    case duplicate
    /// The card was there before with work left to do, and this run could not move it; or the input was not taken in at
    /// all: not reached, or for want of room.
    case unchanged
    /// Not an image.
    case ignored

    /// The key in `counts`.
    var key: String {
        switch self {
        case .moved(let state): state.rawValue
        case .refused: CardState.rejected.rawValue
        case .duplicate: "duplicate"
        case .unchanged: "unchanged"
        case .ignored: "ignored"
        }
    }

    /// Every key there is, states first.
    static let allKeys = CardState.allCases.map(\.rawValue) + ["duplicate", "unchanged", "ignored"]
}
