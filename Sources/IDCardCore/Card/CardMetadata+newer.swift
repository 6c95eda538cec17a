extension CardMetadata {
    /// Returns this metadata with what a newer sending of the same bytes says.
    ///
    /// The business number stays. A missing field and priority 0 count as not said: a plain rescan of a folder must
    /// not wipe out what a manifest said before.
    package func takingOver(_ newer: CardMetadata) -> CardMetadata {
        CardMetadata(
            businessNumber: self.businessNumber,
            userNumber: newer.userNumber ?? self.userNumber,
            expectedIDNumber: newer.expectedIDNumber ?? self.expectedIDNumber,
            expectedName: newer.expectedName ?? self.expectedName,
            side: newer.side ?? self.side,
            priority: newer.priority == 0 ? self.priority : newer.priority
        )
    }

    /// Returns whether a verdict given under `older` may be another one under this metadata: the expected holder or
    /// the side differs.
    package func changesVerdict(from older: CardMetadata) -> Bool {
        self.expectedIDNumber != older.expectedIDNumber || self.expectedName != older.expectedName
            || self.side != older.side
    }
}
