package import IDCardCore

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
