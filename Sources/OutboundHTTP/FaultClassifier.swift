import AsyncHTTPClient

/// Says what the faults of a transport mean for a request to one endpoint.
///
/// The phase is never guessed here: it comes from what was observed.
struct FaultClassifier {
    /// Where the request went.
    let endpoint: RemoteEndpoint
    /// The limit a reply may have exceeded, in bytes.
    let maximumReplyBytes: Int
    /// The proxy on the way.
    var proxy: ProxySettings?
    /// Whether we have a certificate to show.
    var showsCertificate = false

    /// Tells whether an error says that we ourselves ended the request.
    func isInterruption(_ error: (any Error)?) -> Bool {
        guard let error = error as? HTTPClientError else { return false }
        return error == .cancelled || error == .alreadyShutdown
    }

    /// Names a fault.
    ///
    /// - Parameters:
    ///   - error: what the library threw; `nil` if the request ended without error and without reply.
    ///   - phase: what was observed of the sending.
    ///   - isReusedAndSilent: whether the connection had served before, and gave no byte of a reply to this request.
    func failure(for error: (any Error)?, phase: HTTPPhase, isReusedAndSilent: Bool = false) -> HTTPFailure {
        var code = TransportFault.code(for: error, phase: phase, usesTLS: self.endpoint.usesTLS)
        if phase == .afterSend, isReusedAndSilent, code == .connectionReset || code == .connectionClosed {
            code = .connectionStale
        }
        return HTTPFailure(code, phase: phase, message: self.message(for: code, phase: phase, cause: error))
    }

    /// Names what a closer look at a certificate has found.
    func failure(for finding: CertificateFinding) -> HTTPFailure {
        HTTPFailure(.tlsExpired, phase: .notSent, message: self.message(for: finding))
    }
}
