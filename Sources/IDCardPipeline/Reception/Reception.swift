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

    /// Describes a card on its way in.
    package init(metadata: CardMetadata, source: Source, receipt: Receipt? = nil) {
        self.metadata = metadata
        self.source = source
        self.receipt = receipt
    }
}
