package import IDCardCore

/// What is to change for the cards of one or several business numbers; applied whole or not at all.
package struct ApplicationChange: Hashable, Sendable {
    /// Cards that a newer photo replaces: `verified` → `superseded`.
    package var superseded: [CardID]
    /// Fronts that name different persons: `verified` → `held`.
    package var held: [CardID]
    /// The reason written beside `held`.
    package var heldReason: ReasonCode
    /// The message written beside `held`.
    package var heldMessage: String
    /// Cards that a rule between front and back refuses or leaves to a person, by its severity: `verified` → `rejected`
    /// or `held`.
    package var refused: [CardID: VerdictFinding]
    /// What a rule between front and back has to say of cards that go; each becomes an event.
    package var warnings: [CardID: [VerdictFinding]]
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
        refused: [CardID: VerdictFinding] = [:],
        warnings: [CardID: [VerdictFinding]] = [:],
        deliveries: [Delivery] = [],
        waitReasons: [CardID: ReasonCode?] = [:]
    ) {
        self.superseded = superseded
        self.held = held
        self.heldReason = heldReason
        self.heldMessage = heldMessage
        self.refused = refused
        self.warnings = warnings
        self.deliveries = deliveries
        self.waitReasons = waitReasons
    }

    /// Whether nothing is to change.
    package var isEmpty: Bool {
        self.superseded.isEmpty && self.held.isEmpty && self.refused.isEmpty && self.warnings.isEmpty
            && self.deliveries.isEmpty && self.waitReasons.isEmpty
    }

    /// Every card that the change names.
    package var cards: [CardID] {
        self.superseded + self.held + self.refused.keys + self.warnings.keys
            + self.deliveries.flatMap(\.members) + self.waitReasons.keys
    }
}
