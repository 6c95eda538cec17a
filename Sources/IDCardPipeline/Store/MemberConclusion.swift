package import IDCardCore

/// What becomes of one member of a delivery whose cards were answered one by one.
package enum MemberConclusion: Hashable, Sendable {
    /// The backend holds the document: becomes `delivered`.
    case delivered(code: String)
    /// A definite no: becomes `rejected`.
    ///
    /// - Parameter isDoubtful: whether it may concern every card.
    case rejected(ReasonCode, message: String, isDoubtful: Bool = false)
    /// The backend refuses every call about this card, and takes others: becomes `failed`.
    case failed(ReasonCode, message: String)
    /// A person decides: becomes `held`.
    case held(ReasonCode, message: String)
    /// Not applied ("not now"): becomes `verified` again, to go into a new delivery not before a time.
    case returned(at: Timestamp, attempts: Int)
    /// Not applied, for a reason that may concern every card: becomes `verified` again, to go into a new delivery.
    case stopped(at: Timestamp, ReasonCode? = nil)
}

extension MemberConclusion {
    /// Whether the backend holds the document.
    package var isDelivered: Bool { if case .delivered = self { true } else { false } }
    /// Whether the backend answered for the card as it does when it works.
    package var isAnswered: Bool {
        switch self {
        case .delivered, .rejected(_, _, isDoubtful: false): true
        default: false
        }
    }
    /// Whether the card goes into a new delivery.
    package var isReturned: Bool {
        switch self {
        case .returned, .stopped: true
        default: false
        }
    }
    /// Whether the call failed for the card by a `stop`, or otherwise; `nil` if it did not fail.
    package var failsByStop: Bool? {
        switch self {
        case .stopped, .failed, .rejected(_, _, isDoubtful: true): true
        case .returned: false
        case .delivered, .rejected, .held: nil
        }
    }
    /// The code that the backend gave for the card, if it ends by one.
    package var code: String? {
        switch self {
        case .rejected(let reason, _, _), .failed(let reason, _), .stopped(_, let reason?): reason.rawValue
        case .delivered, .held, .returned, .stopped: nil
        }
    }
    /// Whether nobody knows if the backend holds the document.
    package var isUnknown: Bool { if case .held(.outcomeUnknown, _) = self { true } else { false } }
}
