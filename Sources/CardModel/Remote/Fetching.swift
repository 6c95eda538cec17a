/// What an image named by URL was when its first bytes came, so that a later attempt asks for the rest of the same bytes.
package struct FetchedVersion: Hashable, Sendable, Codable {
    /// The strong `ETag`, or the `Last-Modified` date, as it came (RFC 9110 section 8.8).
    package var validator: String?
    /// How many bytes there are in all, if the host said so.
    package var byteCount: Int?

    package init(validator: String?, byteCount: Int?) {
        self.validator = validator
        self.byteCount = byteCount
    }
}

/// An image to be fetched, with what is there of it.
package struct FetchRequest: Sendable {
    /// The address, which may carry a signature in its query.
    package var address: Redacted<String>
    /// The bytes that are durable, in order and apart from each other.
    package var kept: [Range<Int>]
    /// What they are bytes of.
    package var version: FetchedVersion?

    package init(address: Redacted<String>, kept: [Range<Int>], version: FetchedVersion?) {
        self.address = address
        self.kept = kept
        self.version = version
    }
}

/// How an attempt to fetch an image ended.
package enum FetchOutcome: Sendable {
    /// All bytes are durable.
    case fetched
    /// The host, or the way to it, failed.
    case failed(RemoteFailure)
    /// Our own rules forbid the address; somebody may change them.
    case forbidden(CodedError)
    /// What the host sends is no usable image: empty or too large.
    case unusable(CodedError)
}
