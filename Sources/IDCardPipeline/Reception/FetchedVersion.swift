/// What a remote server said of the bytes it sent a piece of; pieces of different versions are never joined.
package struct FetchedVersion: Hashable, Sendable, Codable {
    /// The strong entity tag, or `Last-Modified` if there is none (RFC 9110 section 13.1.5 allows both in `If-Range`);
    /// with neither a word of the fetcher's own, another one for every answer, so that what came without a validator is
    /// never joined with anything else. `nil` is no version of anything.
    package var validator: String?
    /// How many bytes there are in all; `nil` as long as the server has not said it.
    package var byteCount: Int?

    /// Describes a version.
    package init(validator: String?, byteCount: Int?) {
        self.validator = validator
        self.byteCount = byteCount
    }

    /// What is known of the bytes after another answer; `nil` if it speaks of other bytes, whose pieces must not be joined
    /// to those of this version.
    ///
    /// The same validator with a size that was not known before, or is not said again, is the same version.
    package func joined(with other: FetchedVersion) -> FetchedVersion? {
        guard self.validator == other.validator else { return nil }
        if let known = self.byteCount, let said = other.byteCount, known != said { return nil }
        return FetchedVersion(validator: self.validator, byteCount: self.byteCount ?? other.byteCount)
    }
}
