package import IDCardCore

/// A card as the store knows it, without its image and its fields.
package struct Card: Hashable, Sendable {
    /// Its identifier.
    package var id: CardID
    /// Where it stands.
    package var state: CardState
    /// Why it stands there, if there is more to say than the state.
    package var reason: ReasonCode?
    /// The reason for a person; free of personal data.
    package var message: String?
    /// What the sender said about it.
    package var metadata: CardMetadata
    /// The side the verifier saw; `nil` until verified.
    package var side: CardSide?
    /// Its place among all inputs ever taken in; of two photos of one side the later wins.
    package var intakeOrder: Int64
    /// How many attempts of the current stage have failed.
    package var attempts: Int
    /// Not to be tried before this time.
    package var nextAttemptAt: Timestamp?
    /// Whether the image was made smaller once because an endpoint found it too large.
    package var isShrunk: Bool
    /// The delivery it is a member of.
    package var delivery: DeliveryID?
    /// When it was taken in.
    package var createdAt: Timestamp
    /// When its state last changed.
    package var changedAt: Timestamp

    /// Describes a card.
    package init(
        id: CardID,
        state: CardState,
        reason: ReasonCode? = nil,
        message: String? = nil,
        metadata: CardMetadata,
        side: CardSide? = nil,
        intakeOrder: Int64,
        attempts: Int = 0,
        nextAttemptAt: Timestamp? = nil,
        isShrunk: Bool = false,
        delivery: DeliveryID? = nil,
        createdAt: Timestamp,
        changedAt: Timestamp
    ) {
        self.id = id
        self.state = state
        self.reason = reason
        self.message = message
        self.metadata = metadata
        self.side = side
        self.intakeOrder = intakeOrder
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.isShrunk = isShrunk
        self.delivery = delivery
        self.createdAt = createdAt
        self.changedAt = changedAt
    }

    /// Whether it is a back that is held because no front of its business number was delivered.
    package var isHeldForFront: Bool {
        self.state == .held && self.reason.map(ReasonCode.releasedByFront.contains) == true
    }

    /// Whether the card stands as it stood at an earlier look: not judged, retried or made smaller since.
    ///
    /// What its sender says of it does not count, nor how long it is put off.
    package func stands(as earlier: Card) -> Bool {
        self.state == earlier.state && self.changedAt == earlier.changedAt && self.attempts == earlier.attempts
            && self.isShrunk == earlier.isShrunk
    }
}
