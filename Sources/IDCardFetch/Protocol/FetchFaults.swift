import IDCardCore
import OutboundHTTP

/// Says what faults of a fetch mean: every fetch is repeatable, so that nothing is ever unknown.
///
/// A name without address and a certificate that is not believed cost an attempt here, other than for the configured
/// endpoints: they come with the one image's URL, and a wrong one must come to an end.
struct FetchFaults {
    /// What messages may call the host.
    let label: String
    /// Whether the connection is encrypted.
    let usesTLS: Bool

    /// Names a fault of the transport.
    func failure(for error: any Error) -> RemoteFailure {
        switch error {
        case let verdict as SilenceWatch.Verdict:
            return self.failure(verdict == .late ? .deadlineExceeded : .idleTimeout, phase: .afterSend)
        case is ResponseBody.Truncated: return self.failure(.connectionClosed, phase: .afterSend)
        case HostResolver.Failure.noAddress: return self.failure(.dns, phase: .afterSend)
        case HostResolver.Failure.unavailable: return self.failure(.dns, phase: .notSent)
        case let unconnected as FetchConnector.Unconnected where unconnected.cause is SilenceWatch.Verdict:
            return self.failure(.deadlineExceeded, phase: .afterSend)
        case let unconnected as FetchConnector.Unconnected:
            let code = TransportFault.code(for: unconnected.cause, phase: .notSent, usesTLS: self.usesTLS)
            return self.failure(code, phase: .notSent)
        default:
            let code = TransportFault.code(for: error, phase: .afterSend, usesTLS: self.usesTLS)
            return self.failure(code, phase: .afterSend)
        }
    }

    /// Says what a status other than 200, 206 and 416 means; redirects are dealt with before.
    func failure(for facts: ResponseFacts) -> RemoteFailure {
        let status = facts.status
        let (failureClass, code, what) = Self.meaning(of: status, hasRetryAfter: facts.retryAfter != nil)
        return RemoteFailure(
            failureClass,
            code: code,
            message: "\(self.label) answers with status \(status): \(what)",
            httpStatus: status,
            retryAfter: facts.retryAfter
        )
    }

    /// Says that an image is something else now than a moment before.
    func changing() -> RemoteFailure {
        RemoteFailure(
            .transient,
            code: "fetch_version_changed",
            message: "the image changed again and again while \(self.label) sent it: it is tried again later"
        )
    }

    /// Says that ranges lead nowhere.
    func rangeless() -> RemoteFailure {
        RemoteFailure(
            .transient,
            code: "fetch_range_unusable",
            message: "\(self.label) answers requests for a part, or for all, with something else: look into its log"
        )
    }

    /// Says that the pieces are not what was kept.
    func incoherent() -> RemoteFailure {
        RemoteFailure(
            .transient,
            code: "fetch_pieces_missing",
            message: "the pieces of an image from \(self.label) do not join to what was kept: it is tried again"
        )
    }

    private static func meaning(of status: Int, hasRetryAfter: Bool) -> (FailureClass, code: String, what: String) {
        switch status {
        case 401, 403:
            (
                .rejected, "fetch_forbidden",
                "the URL gives no access (any more): a signed one may have expired; send a new one"
            )
        case 404: (.rejected, "fetch_not_found", "there is no image at the URL: send it with the right one")
        case 410: (.rejected, "fetch_gone", "the image has been removed: send it again")
        case 429: (.throttled, "fetch_throttled", "it asks for a slower pace")
        case 503 where hasRetryAfter: (.throttled, "fetch_throttled", "it asks to come later")
        case 408, 425: (.transient, "fetch_server_error", "it asks to try again")
        case 500...: (.transient, "fetch_server_error", "look into its log")
        default: (.rejected, "fetch_status_refused", "that is no image: check the URL")
        }
    }

    private func failure(_ code: HTTPFailure.Code, phase: HTTPPhase) -> RemoteFailure {
        let isOwnTrouble = phase == .notSent && !code.description.hasPrefix("tls")
        return RemoteFailure(
            isOwnTrouble ? .notSent : .transient,
            code: code.description,
            message: self.message(for: code, phase: phase)
        )
    }

    private func message(for code: HTTPFailure.Code, phase: HTTPPhase) -> String {
        switch code {
        case .dns:
            phase == .notSent
                ? "the name of the image's host could not be resolved: check this machine's name service"
                : "the name of the image's host has no address: check the URL"
        case .connectRefused: "\(self.label) refused the connection: check that the service runs"
        case .connectTimeout: "\(self.label) did not answer the connection: check the network and the firewall"
        case .connectFailed: "\(self.label) cannot be reached: check the network"
        case .deadlineExceeded:
            "\(self.label) did not send the image in time: what has arrived stays; raise fetch.timeout if this is usual"
        case .idleTimeout:
            "\(self.label) fell silent: what has arrived stays; raise fetch.stall_timeout if this is usual"
        case .connectionReset, .connectionClosed:
            "\(self.label) ended the connection before the image was complete: what has arrived stays"
        case .tlsUntrusted:
            "the certificate of \(self.label) is not believed: it is issued by nobody trusted, or out of its time; if it"
                + " is the right server, trust its authority (fetch.tls)"
        case .tlsWrongHost: "the certificate of \(self.label) is made out to another host"
        case .tlsClientCertificate: "\(self.label) demands a client certificate, which is never shown for images"
        case .tls, .tlsProtocol: "no encrypted connection to \(self.label) came about: check that its port speaks TLS"
        case .replyMalformed: "the answer of \(self.label) is not HTTP, or its head is too long"
        default: "fetching from \(self.label) failed for an unexpected reason: look into its log"
        }
    }
}
