package import IDCardCore

/// Why a request has no usable reply.
package struct HTTPFailure: Error, Sendable, CustomStringConvertible {
    /// The reason: closed, so that it can be a metric label.
    package let code: Code
    /// Whether the remote may have seen the request.
    package let phase: HTTPPhase
    /// What happened and what to do, for people: host and port at most, nothing of the request or the reply.
    package let message: String

    /// Describes a failure.
    package init(_ code: Code, phase: HTTPPhase, message: String) {
        self.code = code
        self.phase = phase
        self.message = message
    }

    /// Whether a kept connection broke before a byte of the reply: the next attempt goes to a fresh connection and may
    /// be made at once, if the call may be repeated at all.
    package var isStaleConnection: Bool { self.code == .connectionStale }

    /// The phase, the code and the message.
    package var description: String { "\(self.phase.rawValue) (\(self.code)): \(self.message)" }

    /// Returns this failure under the classes of the pipeline.
    ///
    /// A fault of our own (``Code/isLocal``) is `stop`: the next request would meet it too. So is a certificate of ours
    /// that is refused: with TLS 1.3 that shows after the sending, but a server that refuses it looks at nothing that was
    /// sent, and the same bytes go again under the same key.
    ///
    /// - Parameter afterSend: what it means that the remote may have seen the request: `transient` if repeating is
    ///   harmless, else `unknown`.
    package func remoteFailure(afterSend: FailureClass) -> RemoteFailure {
        let failureClass: FailureClass =
            if self.code.isLocal || self.code == .tlsClientCertificate { .stop } else if self.phase == .notSent {
                .notSent
            } else { afterSend }
        return RemoteFailure(
            failureClass,
            code: self.code.description,
            message: self.message,
            retriesAtOnce: self.isStaleConnection
        )
    }
}
