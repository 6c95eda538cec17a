import IDCardCore
import Synchronization

/// Tells an argument error of one odd card from one that every card gets.
final class StopSuspicion: Sendable {
    private let suspect = Mutex<CardID?>(nil)

    /// What an argument error of a card means.
    enum Meaning: Hashable, Sendable {
        /// It is the first: the card is tried once more, before which another card may get it, too.
        case unclear
        /// The card got it twice in a row, and no other.
        case concernsCard
        /// Another card got one before: every card would.
        case concernsAll
    }

    /// Notes that a card got an argument error.
    func meaning(for card: CardID) -> Meaning {
        self.suspect.withLock { suspect in
            defer { suspect = card }
            guard let before = suspect else { return .unclear }
            return before == card ? .concernsCard : .concernsAll
        }
    }
}
