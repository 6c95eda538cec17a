/// The class in which every outbound attempt ends, decided once at the boundary that knows.
package enum FailureClass: String, CaseIterable, Sendable, Codable {
    /// The remote took it.
    case accepted
    /// A definite no for this card.
    case rejected
    /// Too large in bytes or pixels.
    case shrink
    /// The remote asks for a slower pace; costs no attempt.
    case throttled
    /// The request head was never handed to a connection; costs no attempt.
    case notSent = "not_sent"
    /// A repeatable call failed and may succeed later.
    case transient
    /// A delivery that may have been received.
    case unknown
    /// Every card would fail: credentials, quota, wrong URL, expired TOKEN.
    case stop
}
