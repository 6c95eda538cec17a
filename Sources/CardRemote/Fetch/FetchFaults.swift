import CardModel
import Foundation

/// Why an attempt to fetch an image ended without it.
enum FetchStop: Error {
    /// The host, or the way to it, failed.
    case failed(RemoteFailure)
    /// Our own rules forbid it.
    case forbidden(CodedError)
    /// What comes is no usable image.
    case unusable(CodedError)
    /// The host has another version now, or answers with other bytes than it was asked for.
    case changed
    /// What came could not be made durable.
    case notKept(any Error)

    static func forbidden(_ code: ReasonCode, _ message: Message) -> FetchStop {
        .forbidden(CodedError(code, .input, message))
    }

    static func unusable(_ code: ReasonCode, _ message: Message) -> FetchStop {
        .unusable(CodedError(code, .input, message))
    }
}

/// Says what faults of a fetch mean: every fetch is repeatable, so nothing is ever unknown.
struct FetchFaults: Sendable {
    /// What messages may call the host.
    let label: String
    let usesTLS: Bool

    /// Names a fault of the transport.
    func failure(for error: any Error, phase: HTTPPhase) -> RemoteFailure {
        self.failure(TransportFault.code(for: error, phase: phase, usesTLS: self.usesTLS))
    }

    /// Says what an error means while the body of an answer comes.
    func stop(for error: any Error, of response: FetchResponse) -> FetchStop {
        let isCoded = response.isPacked && response.isFramed
        let code = TransportFault.code(for: error, phase: .afterSend, usesTLS: self.usesTLS, isCoded: isCoded)
        guard code == .replyUndecodable else { return .failed(self.failure(code)) }
        return .forbidden(
            .fetchEncodingRefused,
            """
            \(self.label) sends the image as gzip that is damaged, or inflates to more than imaging.max_source_bytes; have it \
            sent as it is
            """
        )
    }

    /// Names a fault of the transport by its code.
    func failure(_ code: HTTPFailure.Code) -> RemoteFailure {
        let unsent: Set<HTTPFailure.Code> = [.dns, .connectRefused, .connectTimeout, .connectFailed, .poolTimeout]
        let failureClass: FailureClass = unsent.contains(code) ? .notSent : .transient
        return RemoteFailure(failureClass, code: code.rawValue, message: self.message(code))
    }

    private func message(_ code: HTTPFailure.Code) -> Message {
        switch code {
        case .dns:
            "the name of the image's host could not be resolved; check the URL and this machine's name service"
        case .connectRefused: "\(self.label) refused the connection; check that the service runs"
        case .connectTimeout: "\(self.label) did not answer the connection; check the network and the firewall"
        case .connectFailed, .poolTimeout: "\(self.label) cannot be reached; check the network"
        case .deadlineExceeded:
            "\(self.label) fell silent, or did not send the image in time; what has come stays, and the rest is asked for"
        case .connectionReset, .connectionClosed:
            "\(self.label) ended the connection before the image was complete; what has come stays"
        case .tlsUntrusted:
            """
            the certificate of \(self.label) is not trusted here, or out of its time; if it is the right server, give \
            fetch.tls.ca_file its authority's certificates
            """
        case .tlsWrongHost: "the certificate of \(self.label) is made out to another host; check the URL"
        case .tlsClientCertificate:
            "\(self.label) demands a client certificate, which is never shown for images; use another address"
        case .tls, .tlsProtocol:
            "no encrypted connection to \(self.label) came about; check that its port speaks TLS"
        case .replyMalformed: "the answer of \(self.label) is not HTTP; check the URL"
        default: "fetching from \(self.label) failed for an unexpected reason; look into its log"
        }
    }

    /// Says what a status other than success and redirection means.
    func failure(for response: FetchResponse) -> RemoteFailure {
        let (failureClass, code, what) = Self.meaning(of: response)
        return RemoteFailure(
            failureClass,
            code: code,
            message: "\(self.label) answers with status \(response.status); " + what,
            httpStatus: response.status,
            retryAfter: response.retryAfter
        )
    }

    private static func meaning(of response: FetchResponse) -> (FailureClass, code: String, what: Message) {
        switch response.status {
        case 401, 403:
            (
                .rejected, "fetch_forbidden",
                "the URL gives no access (any more): a signed one may have expired; send a new one"
            )
        case 404: (.rejected, "fetch_not_found", "there is no image at the URL; send it with the right one")
        case 410: (.rejected, "fetch_gone", "the image was removed; send it again")
        case 429: (.throttled, "fetch_throttled", "it asks for a slower pace")
        case 503 where response.retryAfter != nil: (.throttled, "fetch_throttled", "it asks to come later")
        case 408, 425: (.transient, "fetch_server_error", "it asks to try again")
        case 500...: (.transient, "fetch_server_error", "look into its log")
        default: (.rejected, "fetch_status_refused", "that is no image; check the URL")
        }
    }

    /// Says that a host changes the image all the time, or deals otherwise with ranges than RFC 9110 says.
    var changing: RemoteFailure {
        RemoteFailure(
            .transient,
            code: "fetch_version_changed",
            message: "\(self.label) sends other bytes each time it is asked for the rest of an image; look into its log"
        )
    }

    /// Refuses what is empty or too large.
    func check(_ byteCount: Int, maxBytes: Int) throws(FetchStop) {
        if byteCount == 0 { throw .unusable(.fetchEmpty, "\(self.label) sends an empty body; check the URL") }
        guard byteCount > maxBytes else { return }
        throw .unusable(
            .sourceTooLarge,
            """
            the image at \(self.label) has more than \(maxBytes) bytes; send a smaller one, or raise \
            imaging.max_source_bytes
            """
        )
    }
}
