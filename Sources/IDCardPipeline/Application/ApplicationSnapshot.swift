package import Foundation
package import IDCardCore

/// All that the rules of one business number look at, as of one moment.
package struct ApplicationSnapshot: Hashable, Sendable {
    /// The business number.
    package var businessNumber: BusinessNumber
    /// Its cards by intake order, tombstones left out.
    package var cards: [ApplicationCard]

    /// Describes an application.
    package init(businessNumber: BusinessNumber, cards: [ApplicationCard]) {
        self.businessNumber = businessNumber
        self.cards = cards
    }
}

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

    /// Describes a card.
    package init(
        id: CardID,
        state: CardState,
        reason: ReasonCode? = nil,
        side: CardSide?,
        holder: Data? = nil,
        intakeOrder: Int64,
        userNumber: Redacted<String>? = nil,
        changedAt: Timestamp
    ) {
        self.id = id
        self.state = state
        self.reason = reason
        self.side = side
        self.holder = holder
        self.intakeOrder = intakeOrder
        self.userNumber = userNumber
        self.changedAt = changedAt
    }
}

/// What is to change for one business number; applied whole or not at all.
package struct ApplicationChange: Hashable, Sendable {
    /// Cards that a newer photo replaces: `verified` → `superseded`.
    package var superseded: [CardID]
    /// Fronts that name different persons: `verified` → `held`.
    package var held: [CardID]
    /// The reason written beside `held`.
    package var heldReason: ReasonCode
    /// The message written beside `held`.
    package var heldMessage: String
    /// Deliveries to persist; their members go `verified` → `delivering`.
    package var deliveries: [Delivery]
    /// The reason why a `verified` card waits, or `nil` if it no longer does; only cards whose reason changes.
    package var waitReasons: [CardID: ReasonCode?]

    /// Describes a change; by default none.
    package init(
        superseded: [CardID] = [],
        held: [CardID] = [],
        heldReason: ReasonCode = .holderConflict,
        heldMessage: String = "",
        deliveries: [Delivery] = [],
        waitReasons: [CardID: ReasonCode?] = [:]
    ) {
        self.superseded = superseded
        self.held = held
        self.heldReason = heldReason
        self.heldMessage = heldMessage
        self.deliveries = deliveries
        self.waitReasons = waitReasons
    }

    /// Whether nothing is to change.
    package var isEmpty: Bool {
        self.superseded.isEmpty && self.held.isEmpty && self.deliveries.isEmpty && self.waitReasons.isEmpty
    }
}
