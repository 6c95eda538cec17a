package import IDCardCore

/// How the fetching of an image ended, this time.
package enum FetchConclusion: Hashable, Sendable {
    /// All pieces are kept; they join to bytes of this digest.
    case complete(ContentDigest)
    /// Not now: it is tried again at a time; what has arrived stays.
    case retry(at: Timestamp, costsAttempt: Bool)
    /// The image cannot be used, or must not be fetched.
    case rejected(ReasonCode, message: String)
    /// The attempts are used up.
    case failed(ReasonCode, message: String)
}
