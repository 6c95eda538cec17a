import CardModel
import Foundation

/// Why an attempt to fetch an image failed.
enum FetchError: Error {
    /// The host, or the connection to it, failed.
    case failed(RemoteFailure)
    /// Our own rules forbid the address.
    case forbidden(CodedError)
    /// The received bytes are not a usable image.
    case unusable(CodedError)
    /// The host has another version now, or sends other bytes than requested.
    case changed
    /// The received bytes could not be made durable.
    case notStored(any Error)

    static func forbidden(_ code: ReasonCode, _ message: Message) -> FetchError {
        .forbidden(CodedError(code, .input, message))
    }

    static func unusable(_ code: ReasonCode, _ message: Message) -> FetchError {
        .unusable(CodedError(code, .input, message))
    }
}

/// Classifies the faults of a fetch. Since a fetch can always be repeated, no fault has the class `unknown`.
struct FetchFaults: Sendable {
    /// The name of the host in messages.
    let label: String
    let usesTLS: Bool

    func failure(for error: any Error, phase: HTTPPhase) -> RemoteFailure {
        self.failure(TransportFault.code(for: error, phase: phase, usesTLS: self.usesTLS))
    }

    /// Classifies an error that occurs while the body of an answer is received.
    func stop(for error: any Error, of response: FetchResponse) -> FetchError {
        let isCoded = response.isPacked && response.isFramed
        let code = TransportFault.code(for: error, phase: .afterSend, usesTLS: self.usesTLS, isCoded: isCoded)
        guard code == .replyUndecodable else { return .failed(self.failure(code)) }
        return .forbidden(.fetchEncodingRefused, .fetchEncoding(self.label))
    }

    func failure(_ code: HTTPFailure.Code) -> RemoteFailure {
        let unsent: Set<HTTPFailure.Code> = [.dns, .connectRefused, .connectTimeout, .connectFailed, .poolTimeout]
        let failureClass: FailureClass = unsent.contains(code) ? .notSent : .transient
        return RemoteFailure(failureClass, code: code.rawValue, message: self.message(code))
    }

    /// Returns the message of a fault; some differ from those of endpoints, since fetches have other settings.
    private func message(_ code: HTTPFailure.Code) -> Message {
        switch code {
        case .dns: .fetchUnresolved
        case .connectionReset, .connectionClosed: .fetchCutOff(self.label)
        case .deadlineExceeded: .fetchTooSlow(self.label)
        case .tlsUntrusted: .fetchUntrusted(self.label)
        case .tlsClientCertificate: .fetchCertificateMissing(self.label)
        case .poolTimeout: .httpUnreachable(self.label)
        default: code.message(of: self.label)
        }
    }

    /// Returns the failure for a status other than success and redirection.
    func failure(for response: FetchResponse) -> RemoteFailure {
        let status = response.status
        let (failureClass, code, message): (FailureClass, String, Message) =
            switch status {
            case 401, 403: (.rejected, "fetch_forbidden", .fetchForbidden(self.label, status))
            case 404: (.rejected, "fetch_not_found", .fetchNotFound(self.label, status))
            case 410: (.rejected, "fetch_gone", .fetchGone(self.label, status))
            case 429: (.throttled, "fetch_throttled", .fetchThrottled(self.label, status))
            case 503 where response.retryAfter != nil:
                (.throttled, "fetch_throttled", .fetchThrottled(self.label, status))
            case 408, 425: (.transient, "fetch_server_error", .fetchAgain(self.label, status))
            case 500...: (.transient, "fetch_server_error", .fetchServerError(self.label, status))
            default: (.rejected, "fetch_status_refused", .fetchStatus(self.label, status))
            }
        let wait = response.retryAfter
        return RemoteFailure(failureClass, code: code, message: message, httpStatus: status, retryAfter: wait)
    }

    /// The failure of a host that changes the image during each fetch, or does not handle ranges as in RFC 9110.
    static var changing: RemoteFailure {
        RemoteFailure(.transient, code: "fetch_version_changed", message: .fetchVersionChanged)
    }

    /// Throws if an image is empty or too large.
    func check(_ byteCount: Int, maxBytes: Int) throws(FetchError) {
        if byteCount == 0 { throw .unusable(.fetchEmpty, .fetchEmpty(self.label)) }
        guard byteCount <= maxBytes else {
            throw .unusable(.sourceTooLarge, .fetchTooLarge(self.label, limit: maxBytes))
        }
    }
}
