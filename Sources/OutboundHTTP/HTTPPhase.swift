/// How far a request had come when it ended without a usable reply.
///
/// "Handed over" is not "received": bytes given to a connection may still lie in a buffer. Only the absence of a
/// handed-over head proves that nothing was sent, which is why there are two phases and no third.
package enum HTTPPhase: String, Sendable {
    /// The request head was never handed to a connection: the remote cannot have seen the request.
    case notSent = "not_sent"
    /// The request head was handed to a connection: the remote may have seen, and done, everything.
    case afterSend = "after_send"
}
