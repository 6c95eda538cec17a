package import IDCardCore

/// What came of words about a photo that arrived after it was taken in.
package enum Amendment: Hashable, Sendable {
    /// No photo was taken in from there.
    case unknown
    /// It is not certain that they are about this card: several photos were taken in from there, or somebody has said
    /// something about it already.
    case uncertain(CardID)
    /// Somebody works on the card just now; a later try may do.
    case busy(CardID)
    /// The card says so now.
    case applied(Card)
    /// The card is in a delivery, or has ended.
    case tooLate(Card)
}

/// Which photo words are about that arrived after it was taken in.
package enum TakenPhoto: Hashable, Sendable {
    /// The one that was taken in from a path, if it is the only one.
    case only(at: Redacted<String>)
    /// The one that was taken in last from a path.
    case last(at: Redacted<String>)
    /// That very file.
    case file(FileIdentity)

    /// The path it was taken in from.
    package var path: Redacted<String> {
        switch self {
        case .only(let path), .last(let path): path
        case .file(let file): file.path
        }
    }
}

extension CardMetadata {
    /// Whether this says no more than where the card goes.
    package var isBare: Bool {
        self.expectedIDNumber == nil && self.expectedName == nil && self.side == nil && self.priority == 0
    }
}
