/// What a verification service read from one photo, normalised over the dialects; only the side is needed.
package struct CardReading: Hashable, Sendable, Codable {
    /// The side shown; `nil` if the service saw no card.
    package var side: CardSide?
    /// The fields, as read.
    package var fields: CardFields
    /// The genuineness scores; `nil` if the service gave none.
    package var legality: Legality?
    /// The service's own name for this call, for its support.
    package var requestID: String?

    /// Takes what was read.
    package init(
        side: CardSide?,
        fields: CardFields = CardFields(),
        legality: Legality? = nil,
        requestID: String? = nil
    ) {
        self.side = side
        self.fields = fields
        self.legality = legality
        self.requestID = requestID
    }
}
