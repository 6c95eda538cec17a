import CardModel
import Foundation
import Synchronization

/// Prepared images that this process has just stored, for the stages that need them next: what is still here is not read and
/// opened again.
///
/// An image that another process stored, or that others pushed out, is read from the sandbox.
final class HandOver: Sendable {
    private struct Key: Hashable {
        let card: CardID
        /// An image that was made smaller takes the place of the first.
        let isShrunk: Bool
    }

    private struct State {
        var images: [Key: PreparedImage] = [:]
        /// The oldest first.
        var order: [Key] = []
        var byteCount = 0

        mutating func remove(_ key: Key) {
            guard let image = self.images.removeValue(forKey: key) else { return }
            self.byteCount -= image.jpeg.count
            self.order.removeAll { $0 == key }
        }
    }

    private let state = Mutex(State())

    /// Keeps the image of a card once it is durable.
    func keep(_ image: PreparedImage, of card: CardID, isShrunk: Bool) {
        self.drop([card])
        let key = Key(card: card, isShrunk: isShrunk)
        self.state.withLock { state in
            state.images[key] = image
            state.order.append(key)
            state.byteCount += image.jpeg.count
            while state.byteCount > Limits.handOverSize, let oldest = state.order.first { state.remove(oldest) }
        }
    }

    /// The image of a card as its row says it is.
    func image(of card: CardID, isShrunk: Bool) -> PreparedImage? {
        self.state.withLock { $0.images[Key(card: card, isShrunk: isShrunk)] }
    }

    /// Forgets cards that need their images no more.
    func drop(_ cards: [CardID]) {
        self.state.withLock { state in
            for card in cards {
                for isShrunk in [false, true] { state.remove(Key(card: card, isShrunk: isShrunk)) }
            }
        }
    }
}
