package import IDCardCore

/// Which cards to list, newest intake last.
package struct CardQuery: Hashable, Sendable {
    /// Only cards in these states; empty means all.
    package var states: Set<CardState>
    /// Only cards of this business number.
    package var businessNumber: BusinessNumber?
    /// Only cards taken in after this place; for paging.
    package var afterIntakeOrder: Int64?
    /// At most so many.
    package var limit: Int

    /// Makes a query.
    package init(
        states: Set<CardState> = [],
        businessNumber: BusinessNumber? = nil,
        afterIntakeOrder: Int64? = nil,
        limit: Int = 100
    ) {
        self.states = states
        self.businessNumber = businessNumber
        self.afterIntakeOrder = afterIntakeOrder
        self.limit = limit
    }
}

/// One line in the history of a card or a delivery.
package struct CardEvent: Hashable, Sendable {
    /// When.
    package var at: Timestamp
    /// What: a constant word such as `admitted`, `verified`, `attempt`, `superseded`.
    package var kind: String
    /// The state the card entered, if it changed.
    package var state: CardState?
    /// A bounded code: the reason, or how an attempt ended.
    package var code: String?

    /// Describes an event.
    package init(at: Timestamp, kind: String, state: CardState? = nil, code: String? = nil) {
        self.at = at
        self.kind = kind
        self.state = state
        self.code = code
    }
}

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
