/// How one request ended: the only thing this module says about it.
package enum HTTPExchange: Sendable {
    /// The remote answered; what the status means is the caller's knowledge.
    case reply(HTTPReply)
    /// There is no usable answer.
    case failure(HTTPFailure)
    /// The calling task was cancelled, or the client was shut down: interrupted is not failed. The phase says whether
    /// the remote may have seen the request.
    case cancelled(HTTPPhase)
}
