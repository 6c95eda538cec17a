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
}
