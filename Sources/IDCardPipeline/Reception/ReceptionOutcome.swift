/// What became of a reception.
package enum ReceptionOutcome: Hashable, Sendable {
    /// A new card.
    case admitted(Card)
    /// The same bytes are there already under this business number; the card has taken over what the sender says now.
    case duplicate(Card)
    /// The very same request was answered before: this is its card as it stands now.
    case repeated(Card)
    /// The name of the receipt was used before by another request; nothing was stored.
    case nameReused
}
