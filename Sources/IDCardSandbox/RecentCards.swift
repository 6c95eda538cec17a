import Foundation
import IDCardCore
import IDCardPipeline
import Synchronization

/// What this process made or read of the cards that are under way, so that no stage reads, opens and hashes again what
/// the stage before had in its hands: images, and what sealed values hold.
///
/// The database decides: whoever claims a card or takes a snapshot says here how the card stands there, and an image
/// that was made smaller by another process is dropped. What falls out, by its size or its age, is read again.
final class RecentCards: Sendable {
    fileprivate struct Entry {
        var image: PreparedImage
        var isShrunk: Bool
        var confidential: [Redacted<String>]?
        /// Sealed values of its row, each in its place, and what they hold.
        var opened: [SealedText: Redacted<String>] = [:]
        var since: ContinuousClock.Instant
    }

    /// A sealed value where it lies: in another column it must not open, be it known or not.
    struct SealedText: Hashable, Sendable {
        var column: String
        var bytes: Data
    }

    fileprivate struct State {
        var entries: [CardID: Entry] = [:]
        /// Oldest first; those before `first` are taken out already, and some may be gone from `entries`.
        var order: [CardID] = []
        var first = 0
        var byteCount = 0
    }

    /// Longer than a card takes on its way when nothing is in the way.
    private static let longestStay = Duration.seconds(60)

    /// A card has four sealed values; what is sealed anew comes beside them.
    private static let mostOpened = 8

    /// How many bytes of images are kept at most.
    let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Keeps the image that was just stored with a card.
    func keep(_ image: PreparedImage, of card: CardID, isShrunk: Bool) {
        guard image.jpeg.count <= self.limit else { return self.forget([card]) }
        let now = ContinuousClock.now
        self.state.withLock { state in
            state.remove(card)
            state.insert(Entry(image: image, isShrunk: isShrunk, since: now), of: card)
            while let oldest = state.oldest,
                state.byteCount > self.limit || oldest.since.duration(to: now) > Self.longestStay
            {
                state.removeFirst()
            }
        }
    }

    /// Keeps what no message may repeat of a card whose image is here.
    func note(_ confidential: [Redacted<String>], of card: CardID) {
        self.state.withLock { $0.entries[card]?.confidential = confidential }
    }

    /// Keeps what a sealed value of a card holds whose image is here.
    ///
    /// The same sealed bytes always hold the same; a value that is written anew is sealed anew.
    func note(_ text: Redacted<String>, in sealed: SealedText, of card: CardID) {
        self.state.withLock { state in
            guard (state.entries[card]?.opened.count ?? .max) < Self.mostOpened else { return }
            state.entries[card]?.opened[sealed] = text
        }
    }

    /// Says how a card stands in the database; an image from before it was made smaller is dropped.
    func expect(_ card: CardID, isShrunk: Bool) {
        self.state.withLock { state in
            if let entry = state.entries[card], entry.isShrunk != isShrunk { state.remove(card) }
        }
    }

    /// Drops cards that have ended.
    func forget(_ cards: some Sequence<CardID>) {
        self.state.withLock { state in
            for card in cards { state.remove(card) }
        }
    }

    /// The image of a card, if it is here.
    func image(of card: CardID) -> PreparedImage? {
        self.state.withLock { $0.entries[card]?.image }
    }

    /// What a sealed value of a card holds, if it was opened before.
    func text(in sealed: SealedText, of card: CardID) -> Redacted<String>? {
        self.state.withLock { $0.entries[card]?.opened[sealed] }
    }

    /// What no message may repeat of a card, if that is here.
    func confidential(of card: CardID) -> [Redacted<String>]? {
        self.state.withLock { $0.entries[card]?.confidential }
    }
}

extension RecentCards.State {
    fileprivate var oldest: RecentCards.Entry? {
        mutating get {
            while self.first < self.order.count, self.entries[self.order[self.first]] == nil { self.first += 1 }
            return self.first < self.order.count ? self.entries[self.order[self.first]] : nil
        }
    }

    fileprivate mutating func insert(_ entry: RecentCards.Entry, of card: CardID) {
        self.entries[card] = entry
        self.byteCount += entry.image.jpeg.count
        if self.first * 2 > self.order.count {
            self.order.removeFirst(self.first)
            self.first = 0
        }
        self.order.append(card)
    }

    fileprivate mutating func removeFirst() {
        self.remove(self.order[self.first])
        self.first += 1
    }

    fileprivate mutating func remove(_ card: CardID) {
        self.byteCount -= self.entries.removeValue(forKey: card)?.image.jpeg.count ?? 0
    }
}
