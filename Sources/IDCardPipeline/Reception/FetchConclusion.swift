package import IDCardCore

/// How the fetching of an image ended, this time.
package enum FetchConclusion: Hashable, Sendable {
    /// All pieces are kept; they join to bytes of this digest.
    case complete(ContentDigest)
    /// Not now: it is tried again at a time; what has arrived stays.
    case retry(at: Timestamp, costsAttempt: Bool)
    /// There is no image: its bytes say so, or its host does for good.
    case rejected(ReasonCode, message: String)
    /// The attempts or the time are used up, or a rule forbids it that somebody may change; what has arrived stays.
    case failed(ReasonCode, message: String)
}
