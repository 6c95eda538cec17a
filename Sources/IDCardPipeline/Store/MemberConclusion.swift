package import IDCardCore

/// What becomes of one member of a delivery whose cards were answered one by one.
package enum MemberConclusion: Hashable, Sendable {
    /// The backend holds the document: becomes `delivered`.
    case delivered(code: String)
    /// A definite no: becomes `rejected`.
    case rejected(ReasonCode, message: String)
    /// A person decides: becomes `held`.
    case held(ReasonCode, message: String)
    /// Not applied: becomes `verified` again, to go into a new delivery not before a time.
    case returned(at: Timestamp, costsAttempt: Bool)
}

extension MemberConclusion {
    /// Whether the backend holds the document.
    package var isDelivered: Bool { if case .delivered = self { true } else { false } }
    /// Whether the card goes into a new delivery.
    package var isReturned: Bool { if case .returned = self { true } else { false } }
    /// Whether nobody knows if the backend holds the document.
    package var isUnknown: Bool { if case .held(.outcomeUnknown, _) = self { true } else { false } }
}
