package import IDCardCore

/// Source bytes that are being decoded right now, as the store has noted them.
package struct Preparing: Hashable, Sendable {
    /// The digest of the bytes.
    package var digest: ContentDigest
    /// Where the store has noted them; only the store that made it knows what it means.
    package var slot: Int
    /// How many processes died while they had these bytes under preparation.
    package var crashes: Int

    /// Describes bytes under preparation.
    package init(digest: ContentDigest, slot: Int, crashes: Int) {
        self.digest = digest
        self.slot = slot
        self.crashes = crashes
    }
}
