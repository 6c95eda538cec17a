package import IDCardCore

/// What a watched folder needs of the place where cards live; part of every `CardStore`.
package protocol WatchStore: Sendable {
    /// Remembers for good that a folder holds a sidecar or a manifest, without its path.
    func noteMetadataFile(inFolder path: Redacted<String>, now: Timestamp) async throws
    /// Whether that was ever noted.
    func hasHeldMetadataFile(inFolder path: Redacted<String>) async throws -> Bool
    /// Takes over what is said about a photo that was taken in before under the number of its folder alone.
    ///
    /// It may give the card another business number, as long as the card is in no delivery and has not ended; a card
    /// that holds the same bytes under that number takes the words over instead, and this one is `superseded`.
    ///
    /// - Parameters:
    ///   - photo: the photo.
    ///   - number: the business number under which it was.
    func amend(
        _ photo: TakenPhoto,
        under number: BusinessNumber,
        with metadata: CardMetadata,
        now: Timestamp
    ) async throws -> Amendment
}
