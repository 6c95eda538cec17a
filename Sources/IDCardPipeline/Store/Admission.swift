package import IDCardCore

/// A new card on its way into the store: its image prepared, or refused already.
package struct Admission: Hashable, Sendable {
    /// What intake made of the source bytes.
    package enum Content: Hashable, Sendable {
        /// The card starts as `prepared`.
        case prepared(PreparedImage)
        /// The image cannot be used; the card starts, and ends, as `rejected`.
        case refused(ReasonCode, message: String)
    }

    /// The new card's identifier.
    package var id: CardID
    /// What the sender said.
    package var metadata: CardMetadata
    /// The digest of the source bytes: with the business number, what makes two inputs the same card.
    package var sourceDigest: ContentDigest
    /// The file it came from, if any.
    package var file: FileIdentity?
    /// Its place among all inputs.
    package var intakeOrder: Int64
    /// What intake made of it.
    package var content: Content

    /// Describes a new card.
    package init(
        id: CardID,
        metadata: CardMetadata,
        sourceDigest: ContentDigest,
        file: FileIdentity?,
        intakeOrder: Int64,
        content: Content
    ) {
        self.id = id
        self.metadata = metadata
        self.sourceDigest = sourceDigest
        self.file = file
        self.intakeOrder = intakeOrder
        self.content = content
    }
}
