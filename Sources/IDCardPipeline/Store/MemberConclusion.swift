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
