package import IDCardCore

/// Takes cards in from watched folders, where what is said about a photo may come after it.
package protocol WatchIntake: CardIntake {
    /// Remembers for good that a watched folder holds a sidecar or a manifest.
    ///
    /// - Throws: `StoreError` if the store fails.
    func noteMetadataFile(inFolder path: Redacted<String>) async throws
    /// Whether that was ever noted.
    ///
    /// - Throws: `StoreError` if the store fails.
    func hasHeldMetadataFile(inFolder path: Redacted<String>) async throws -> Bool
    /// Takes over what is said about a photo that was taken in before; see `WatchStore`.
    ///
    /// - Throws: `StoreError` if the store fails.
    func amend(
        _ photo: TakenPhoto,
        under number: BusinessNumber,
        with metadata: CardMetadata
    ) async throws -> Amendment
}
