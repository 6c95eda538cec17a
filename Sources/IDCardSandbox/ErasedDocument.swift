package import IDCardCore
package import IDCardPipeline

/// Where an erased card stood in a delivery.
package struct ErasedDocument: Hashable, Sendable {
    /// The card.
    package let card: CardID
    /// The delivery, whose name is its idempotency key.
    package let delivery: DeliveryID
    /// Its place among the members, from 0.
    package let position: Int
}
