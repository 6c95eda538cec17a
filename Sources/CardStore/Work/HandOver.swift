import CardModel
import Synchronization

/// Prepared images that this process is storing or has just stored, for the stages that need them next: what is still here is
/// not read and opened again.
///
/// The heartbeat drops them after seconds, so that no image stays of a card that another process ended or erased. What is not here
/// is read from the sandbox; damage of a stored image shows then.
final class HandOver: Sendable {
    private struct Key: Hashable {
        let card: CardID
        /// An image that was made smaller takes the place of the first.
        let isShrunk: Bool
    }

    private struct State {
        var young: [Key: PreparedImage] = [:]
        /// Those that go next.
        var old: [Key: PreparedImage] = [:]
        var youngByteCount = 0

        mutating func age() {
            self.old = self.young
            (self.young, self.youngByteCount) = ([:], 0)
        }
    }

    private let state = Mutex(State())

    func keep(_ image: PreparedImage, of card: CardID, isShrunk: Bool) {
        self.state.withLock { state in
            state.young[Key(card: card, isShrunk: isShrunk)] = image
            state.youngByteCount += image.jpeg.count
            if state.youngByteCount > Limits.handOverSize / 2 { state.age() }
        }
    }

    /// The image of a card as its row says it is.
    func image(of card: CardID, isShrunk: Bool) -> PreparedImage? {
        let key = Key(card: card, isShrunk: isShrunk)
        return self.state.withLock { $0.young[key] ?? $0.old[key] }
    }

    /// Forgets cards that need their images no more.
    func drop(_ cards: [CardID]) {
        let keys = cards.flatMap { card in [false, true].map { Key(card: card, isShrunk: $0) } }
        self.state.withLock { state in
            for key in keys { (state.young[key], state.old[key]) = (nil, nil) }
        }
    }

    /// Forgets what was old at the last call, too.
    func age() { self.state.withLock { $0.age() } }
}
