package import Foundation

/// A delivery ready to be sent: the persisted recipe with the images of its members at hand.
package struct OutboundDelivery: Sendable {
    /// The key that is the same over all attempts of this delivery.
    package var idempotencyKey: String
    /// What is persisted with the delivery of how it is put on the wire: the boundary of its form, or in its place what
    /// makes a raw body of it.
    package var boundary: String
    /// The parts in order.
    package var parts: [DeliveryPart]
    /// The prepared JPEG of each member.
    package var images: [CardID: Data]
    /// Personal values of the members (name, number, address, …) that no message may repeat, although no part holds
    /// them: a backend that reads the images may quote them.
    package var confidential: [Redacted<String>]

    /// Describes a delivery.
    package init(
        idempotencyKey: String,
        boundary: String,
        parts: [DeliveryPart],
        images: [CardID: Data],
        confidential: [Redacted<String>] = []
    ) {
        self.idempotencyKey = idempotencyKey
        self.boundary = boundary
        self.parts = parts
        self.images = images
        self.confidential = confidential
    }
}
