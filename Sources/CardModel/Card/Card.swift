/// A card as the sandbox holds it.
package struct Card: Hashable, Sendable {
    package var id: CardID
    package var state: CardState
    /// Why it stands there, or why it waits.
    package var reason: ReasonCode?
    /// The remote's own code, where its answer decided; never one of ours.
    package var remoteCode: String?
    /// The reason in a sentence.
    package var message: Message?
    /// What its sender said.
    package var metadata: CardMetadata
    /// Who sent it: a token's or webhook secret's name, or `local`.
    package var submitter: String
    /// The side that the verifier saw.
    package var side: CardSide?
    /// Its place among all inputs.
    package var order: Int64
    /// When its photo was taken, where that counts.
    package var taken: Timestamp?
    /// Failures that count towards the most attempts of its stage.
    package var failures = 0
    /// How long it is left alone.
    package var due: Wait?
    /// Until when it waits for the other side.
    package var waitsUntil: Timestamp
    /// Whether its image was made smaller on the verifier's word.
    package var isShrunk = false
    /// Whether a person accepted it.
    package var isAccepted = false
    /// The delivery it is, or was last, a member of.
    package var delivery: DeliveryID?
    /// When it was taken in.
    package var createdAt: Timestamp
    /// When its state last changed.
    package var changedAt: Timestamp
    /// Whether a person said that it counts no longer; for as long as it stays in its state.
    package var isSeen = false
    /// Whether a later photo of its number and side was delivered.
    package var isRetaken = false

    /// Begins with what every card has.
    package init(
        id: CardID,
        state: CardState,
        metadata: CardMetadata,
        submitter: String,
        order: Int64,
        taken: Timestamp? = nil,
        waitsUntil: Timestamp,
        createdAt: Timestamp,
        changedAt: Timestamp
    ) {
        (self.id, self.state, self.metadata, self.submitter) = (id, state, metadata, submitter)
        (self.order, self.taken, self.waitsUntil, self.createdAt) = (order, taken, waitsUntil, createdAt)
        self.changedAt = changedAt
    }
}

/// What a person decides about a card.
package enum Resolution: String, CaseIterable, Sendable, Codable {
    /// The backend holds the document: becomes `delivered`.
    case delivered = "delivered"
    /// The same delivery is sent again, byte for byte, with all its members that are still `held`.
    case resend = "resend"
    /// The card is good: becomes `verified`, and goes into a delivery as any other.
    case accept = "accept"
    /// The card is not to be delivered: becomes `rejected`.
    case reject = "reject"
    /// A person knows: the card stays as it is, and counts no longer in lists, `status` and exit statuses.
    case seen = "seen"
    /// A decision that waits for a second person is taken back by the one who made it.
    case withdraw = "withdraw"
}
