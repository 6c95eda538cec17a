package import IDCardCore

/// What becomes of a delivery after it was tried.
package enum DeliveryConclusion: Hashable, Sendable {
    /// The backend holds the documents: the members become `delivered`.
    case delivered(code: String)
    /// The backend answered for every card by itself: each goes its own way, the delivery is closed.
    case items([CardID: MemberConclusion])
    /// A definite no: the members become `rejected`.
    case rejected(ReasonCode, message: String)
    /// The backend refuses every call about these cards, and takes others: the members become `failed`.
    case failed(ReasonCode, message: String)
    /// A person decides: the members become `held`; the delivery stays as it is, so that it can be resent.
    case held(ReasonCode, message: String)
    /// Nothing was applied and the form must change: the members become `verified`, the delivery is closed.
    case dissolved
    /// Stays `delivering`, to be sent again byte for byte.
    case retry(at: Timestamp, attempts: Int)

    /// Stays `delivering`; the attempt counts as one, or not at all.
    package static func retry(at time: Timestamp, costsAttempt: Bool) -> DeliveryConclusion {
        .retry(at: time, attempts: costsAttempt ? 1 : 0)
    }
}
