package import IDCardCore

/// What a person sees of one card.
package struct CardDetails: Hashable, Sendable {
    /// The card.
    package var card: Card
    /// What was read from it, if anything.
    package var reading: CardReading?
    /// The size of its prepared JPEG in bytes, if there is one.
    package var imageByteCount: Int?
    /// Its history, oldest first.
    package var events: [CardEvent]

    /// Joins what is known of a card.
    package init(card: Card, reading: CardReading?, imageByteCount: Int?, events: [CardEvent]) {
        self.card = card
        self.reading = reading
        self.imageByteCount = imageByteCount
        self.events = events
    }
}
