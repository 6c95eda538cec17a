package import IDCardCore

/// A card on its way into the store without having been decoded: its source bytes, or the address they are fetched from.
package struct Reception: Sendable {
    /// Where the image is.
    package enum Source: Sendable {
        /// The bytes have arrived; the card starts as `received`.
        case bytes(any SpooledSource)
        /// They are to be fetched; the card starts as `fetching`.
        case address(ImageAddress)
    }

    /// What the sender said.
    package var metadata: CardMetadata
    /// Where the image is.
    package var source: Source
    /// What tells a repetition of the same request apart from a new one, if the sender named something.
    package var receipt: Receipt?
    /// Where a trigger that comes again and again found it: a card known from there under the business number is the
    /// answer, unless it was rejected. `nil` for a sender who sends once.
    package var place: FileIdentity?
    /// Its place in the intake order, if one was reserved; `nil` for the next one.
    package var intakeOrder: Int64?

    /// Describes a card on its way in.
    package init(
        metadata: CardMetadata,
        source: Source,
        receipt: Receipt? = nil,
        place: FileIdentity? = nil,
        intakeOrder: Int64? = nil
    ) {
        self.metadata = metadata
        self.source = source
        self.receipt = receipt
        self.place = place
        self.intakeOrder = intakeOrder
    }
}
