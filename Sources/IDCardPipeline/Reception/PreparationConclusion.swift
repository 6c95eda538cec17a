package import IDCardCore

/// How the preparation of a `received` card ended, this time.
package enum PreparationConclusion: Hashable, Sendable {
    /// The card becomes `prepared`; its source bytes go in the same change.
    case prepared(PreparedImage)
    /// The image cannot be used: the card becomes `rejected`, its source bytes go in the same change.
    case rejected(ReasonCode, message: String)
    /// The machine could not do it: it is tried again at a time, and the source bytes stay. Costs an attempt.
    case retry(at: Timestamp)
    /// The attempts are used up, or the source bytes cannot be read: the card becomes `failed`; what is there of its
    /// source bytes stays, and a retry makes it `received` again.
    case failed(ReasonCode, message: String)
}
