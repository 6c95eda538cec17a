package import IDCardCore

/// A persisted delivery: everything that is sent, so that every attempt sends the same bytes.
package struct Delivery: Hashable, Sendable {
    /// Its identifier and idempotency key.
    package var id: DeliveryID
    /// How it is put on the wire, settled when it was formed: the multipart boundary, proven absent from the parts, or
    /// in its place what makes a raw body.
    package var boundary: String
    /// The parts in order; values as they were when the delivery was formed.
    package var parts: [DeliveryPart]
    /// The cards it carries, in order.
    package var members: [CardID]
    /// The business numbers of its members, each once, in the order of the members.
    package var businessNumbers: [BusinessNumber]
    /// How many attempts have failed at the cost of one.
    package var attempts: Int
    /// Whether an earlier attempt ended `unknown` or without an outcome: the backend may hold the documents.
    package var mayHaveBeenReceived: Bool
    /// Whether that has happened since a person last had it sent again: nobody has decided what to do about it.
    package var awaitsDecision: Bool
    /// The number of the last attempt there was when it was claimed; 0 without one. Who claims it later sees a larger one
    /// as soon as another attempt has begun.
    package var lastAttempt: Int

    /// Describes a delivery.
    package init(
        id: DeliveryID,
        boundary: String,
        parts: [DeliveryPart],
        members: [CardID],
        businessNumbers: [BusinessNumber],
        attempts: Int = 0,
        mayHaveBeenReceived: Bool = false,
        awaitsDecision: Bool = false,
        lastAttempt: Int = 0
    ) {
        self.id = id
        self.boundary = boundary
        self.parts = parts
        self.members = members
        self.businessNumbers = businessNumbers
        self.attempts = attempts
        self.mayHaveBeenReceived = mayHaveBeenReceived
        self.awaitsDecision = awaitsDecision
        self.lastAttempt = lastAttempt
    }
}
