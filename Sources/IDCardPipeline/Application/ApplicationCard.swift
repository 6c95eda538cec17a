package import Foundation
package import IDCardCore

/// A card as the rules of its business number see it.
package struct ApplicationCard: Hashable, Sendable {
    /// Its identifier.
    package var id: CardID
    /// Where it stands.
    package var state: CardState
    /// Why.
    package var reason: ReasonCode?
    /// The side that the verifier saw, else the side that the metadata names.
    package var side: CardSide?
    /// A keyed fingerprint of the identity number on a front: equal for the same person, meaningless otherwise.
    package var holder: Data?
    /// Its place among all inputs.
    package var intakeOrder: Int64
    /// The user account it is uploaded for.
    package var userNumber: Redacted<String>?
    /// When its state last changed.
    package var changedAt: Timestamp
    /// For a `verified` card that the backend sent away for now: not before this time.
    package var nextAttemptAt: Timestamp?
    /// Whether a person accepted it: no rule between cards leaves it to a person again.
    package var isAccepted: Bool
    /// Whether it is `held` together with a delivery of it, which may have been sent.
    package var isInKeptDelivery: Bool
    /// Whether a person let this back go although no front of its number was delivered.
    package var goesAlone: Bool

    /// Describes a card.
    package init(
        id: CardID,
        state: CardState,
        reason: ReasonCode? = nil,
        side: CardSide?,
        holder: Data? = nil,
        intakeOrder: Int64,
        userNumber: Redacted<String>? = nil,
        changedAt: Timestamp,
        nextAttemptAt: Timestamp? = nil,
        isAccepted: Bool = false,
        isInKeptDelivery: Bool = false,
        goesAlone: Bool = false
    ) {
        self.id = id
        self.state = state
        self.reason = reason
        self.side = side
        self.holder = holder
        self.intakeOrder = intakeOrder
        self.userNumber = userNumber
        self.changedAt = changedAt
        self.nextAttemptAt = nextAttemptAt
        self.isAccepted = isAccepted
        self.isInKeptDelivery = isInKeptDelivery
        self.goesAlone = goesAlone
    }
}
