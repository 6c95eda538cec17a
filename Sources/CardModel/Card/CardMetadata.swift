/// The submitter's metadata of a photo; everything but the business number may be missing.
package struct CardMetadata: Hashable, Sendable {
    /// The case the card belongs to.
    package var businessNumber: BusinessNumber
    /// The user account of the upload; `nil` for the configured one.
    package var userNumber: Redacted<String>?
    /// The number the holder registered with.
    package var expectedIDNumber: Redacted<String>?
    /// The name the holder registered with.
    package var expectedName: Redacted<String>?
    /// The side that the submitter wanted to photograph.
    package var side: CardSide?
    /// Cards with a higher priority are processed first; 0 by default.
    package var priority: Int

    /// The number as it was given, if the sandbox has its digest in place of it.
    package var givenNumber: Redacted<String>?

    package init(
        businessNumber: BusinessNumber,
        userNumber: Redacted<String>? = nil,
        expectedIDNumber: Redacted<String>? = nil,
        expectedName: Redacted<String>? = nil,
        side: CardSide? = nil,
        priority: Int = 0
    ) {
        (self.businessNumber, self.userNumber, self.expectedIDNumber) = (businessNumber, userNumber, expectedIDNumber)
        (self.expectedName, self.side, self.priority) = (expectedName, side, priority)
    }
}

extension CardMetadata {
    package init(_ fields: SubmittedFields, businessNumber: BusinessNumber) {
        self.init(
            businessNumber: businessNumber,
            userNumber: fields.userNumber,
            expectedIDNumber: fields.expectedIDNumber,
            expectedName: fields.expectedName,
            side: fields.side,
            priority: fields.priority ?? 0
        )
    }

    /// Returns this metadata with the fields of a newer submission of the same bytes.
    ///
    /// The business number stays. A missing field or priority 0 changes nothing: a plain rescan of a folder must not
    /// delete the values of an earlier manifest.
    package func takingOver(_ newer: CardMetadata) -> CardMetadata {
        var merged = CardMetadata(
            businessNumber: self.businessNumber,
            userNumber: newer.userNumber ?? self.userNumber,
            expectedIDNumber: newer.expectedIDNumber ?? self.expectedIDNumber,
            expectedName: newer.expectedName ?? self.expectedName,
            side: newer.side ?? self.side,
            priority: newer.priority == 0 ? self.priority : newer.priority
        )
        merged.givenNumber = newer.givenNumber ?? self.givenNumber
        return merged
    }

    /// Whether a verdict given under `older` may change under this metadata: the expected holder or the side differs.
    package func changesVerdict(from older: CardMetadata) -> Bool {
        self.expectedIDNumber != older.expectedIDNumber || self.expectedName != older.expectedName
            || self.side != older.side
    }
}
