/// How an attempt of a delivery ended.
package enum DeliveryOutcome: Hashable, Sendable {
    /// The backend holds the documents; `alreadyExisted` if it held them before.
    case accepted(alreadyExisted: Bool, code: String)
    /// The backend answered for every card by itself, in the order of the members; nothing is open.
    case items([DeliveryItemOutcome])
    /// The backend refused the TOKEN; nothing was applied.
    case tokenExpired(RemoteFailure)
    /// Everything else.
    case failed(RemoteFailure)
}
