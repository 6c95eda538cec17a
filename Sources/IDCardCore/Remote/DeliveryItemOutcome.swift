/// What the backend says of one card of a delivery that holds several.
package enum DeliveryItemOutcome: Hashable, Sendable {
    /// The backend holds the document; `alreadyExisted` if it held it before.
    case accepted(alreadyExisted: Bool, code: String)
    /// A definite no for this card.
    case rejected(RemoteFailure)
    /// Not applied, and it may be sent again in a new delivery ("not now", an expired TOKEN).
    case notApplied(RemoteFailure)
}
