import AsyncHTTPClient
import CardModel
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Why this program ends an exchange that the network libraries would continue.
enum ExchangeEnd: Error {
    /// Bytes came that do not belong to the request, which was not completely sent.
    case unaskedAnswer
    /// The answer is complete, and the connection must carry no further request.
    case answerEnded
    case replyTooLarge
    /// The time to wait for the rest of an early refusal is over.
    case graceIsOver
    /// The remote answered with success before the whole form was sent.
    case earlySuccess
}

/// Maps the errors of the network libraries to ``HTTPFailure/Code``.
enum TransportFault {
    /// Returns the code of an error.
    ///
    /// - Parameters:
    ///   - error: the error of the library; `nil` if a request ended without an error and without a reply.
    ///   - isCoded: whether the reply is compressed, so that an unknown error is one of decompressing.
    static func code(
        for error: (any Error)?,
        phase: HTTPPhase,
        usesTLS: Bool,
        isCoded: Bool = false
    ) -> HTTPFailure.Code {
        switch error {
        case let error as HTTPClientError: self.clientCode(for: error)
        case let error as NIOConnectionError: self.connectionCode(for: error, usesTLS: usesTLS)
        case let error as IOError: self.systemCode(for: error.errnoCode, phase: phase)
        case let error as ChannelError: self.channelCode(for: error, phase: phase)
        // The reason why a header cannot be sent.
        case is Message: .invalidRequest
        case .some(ExchangeEnd.replyTooLarge): .replyTooLarge
        case .some(ExchangeEnd.earlySuccess): .earlySuccess
        case .some(ExchangeEnd.unaskedAnswer): .unaskedAnswer
        // The parser reports this error when the connection closes in the middle of a reply.
        case let error as HTTPParserError: error == .invalidEOFState ? .connectionClosed : .replyMalformed
        case is NIOHTTPDecoderError: .replyMalformed
        default:
            TLSFault.code(for: error, phase: phase)
                ?? self.unknownCode(phase: phase, usesTLS: usesTLS, isCoded: isCoded)
        }
    }

    private static func unknownCode(phase: HTTPPhase, usesTLS: Bool, isCoded: Bool) -> HTTPFailure.Code {
        if isCoded { return .replyUndecodable }
        return usesTLS && phase == .notSent ? .tls : .transport
    }

    private static func clientCode(for error: HTTPClientError) -> HTTPFailure.Code {
        switch error {
        case .connectTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout: .connectTimeout
        case .invalidProxyResponse: .proxyRefused
        case .proxyAuthenticationRequired: .proxyAuthentication
        case .getConnectionFromPoolTimeout: .poolTimeout
        case .deadlineExceeded, .readTimeout, .writeTimeout: .deadlineExceeded
        case .remoteConnectionClosed, .uncleanShutdown: .connectionClosed
        case .invalidURL, .emptyHost, .emptyScheme, .contentLengthMissing: .invalidRequest
        case .bodyLengthMismatch: .formUnreadable
        // These two errors carry the offending names, so only their fixed text is compared.
        case _ where error.shortDescription.hasPrefix("Invalid header field"): .invalidRequest
        case _ where error.shortDescription == "Server offered unsupported application protocol": .tlsProtocol
        default: .transport
        }
    }

    private static func connectionCode(for error: NIOConnectionError, usesTLS: Bool) -> HTTPFailure.Code {
        guard !error.connectionErrors.isEmpty else {
            return error.dnsAError != nil || error.dnsAAAAError != nil ? .dns : .connectFailed
        }
        // Of several addresses, one that refused the connection tells more than others that did not answer.
        let codes = error.connectionErrors.map { self.code(for: $0.error, phase: .notSent, usesTLS: usesTLS) }
        return codes.first { $0 == .connectRefused } ?? codes.first { $0 == .connectTimeout } ?? .connectFailed
    }

    private static func channelCode(for error: ChannelError, phase: HTTPPhase) -> HTTPFailure.Code {
        switch error {
        case .connectTimeout: .connectTimeout
        case .ioOnClosedChannel, .alreadyClosed, .eof, .outputClosed, .inputClosed: .connectionClosed
        default: phase == .notSent ? .connectFailed : .transport
        }
    }

    private static func systemCode(for errno: CInt, phase: HTTPPhase) -> HTTPFailure.Code {
        switch errno {
        case ECONNREFUSED: .connectRefused
        case ETIMEDOUT: phase == .notSent ? .connectTimeout : .connectionReset
        case ECONNRESET, EPIPE, ECONNABORTED: .connectionReset
        default: phase == .notSent ? .connectFailed : .transport
        }
    }
}

/// Maps the errors of NIOSSL and the texts of BoringSSL to ``HTTPFailure/Code``.
private enum TLSFault {
    /// The alerts of a server that refuses our certificate, or requires one (RFC 8446 section 6.2). With TLS 1.2, a server sends
    /// `SSLV3_ALERT_HANDSHAKE_FAILURE` for a missing certificate. If this alert has another cause, it comes earlier, and the
    /// error also has the reason `HANDSHAKE_FAILURE_ON_CLIENT_HELLO`.
    private static let clientCertificateReasons: Set<String> = [
        "SSLV3_ALERT_BAD_CERTIFICATE", "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE", "SSLV3_ALERT_CERTIFICATE_REVOKED",
        "SSLV3_ALERT_CERTIFICATE_EXPIRED", "SSLV3_ALERT_CERTIFICATE_UNKNOWN", "SSLV3_ALERT_NO_CERTIFICATE",
        "SSLV3_ALERT_HANDSHAKE_FAILURE", "TLSV1_ALERT_UNKNOWN_CA", "TLSV1_ALERT_ACCESS_DENIED",
        "TLSV1_ALERT_CERTIFICATE_REQUIRED",
    ]

    /// The reasons that mean another protocol, or no common version or cipher.
    private static let protocolReasons: Set<String> = [
        "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "UNSUPPORTED_PROTOCOL", "UNEXPECTED_RECORD",
        "TLSV1_ALERT_PROTOCOL_VERSION", "HANDSHAKE_FAILURE_ON_CLIENT_HELLO", "UNEXPECTED_MESSAGE",
        "NO_SHARED_CIPHER", "WRONG_SSL_VERSION", "INVALID_SSL_SESSION",
    ]

    /// Returns the code of an error of NIOSSL; `nil` for other errors.
    static func code(for error: (any Error)?, phase: HTTPPhase) -> HTTPFailure.Code? {
        switch error {
        case .some(NIOSSLError.handshakeFailed(let error)): self.code(for: error)
        case .some(let error as BoringSSLError): self.code(for: error)
        case .some(NIOSSLError.uncleanShutdown): phase == .notSent ? .tls : .connectionClosed
        case .some(NIOSSLError.unableToValidateCertificate), .some(NIOSSLError.noCertificateToValidate): .tlsUntrusted
        case .some(NIOSSLError.cannotFindPeerIP), .some(NIOSSLError.cannotMatchULabel): .tlsWrongHost
        case .some(let error as NIOSSLExtraError):
            error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch ? .tlsWrongHost : .tls
        case .some(is NIOSSLError): .tls
        default: nil
        }
    }

    private static func code(for error: BoringSSLError) -> HTTPFailure.Code {
        guard case .sslError(let stack) = error else { return .tls }
        let reasons = Set(stack.map(self.reason))
        if reasons.contains("CERTIFICATE_VERIFY_FAILED") { return .tlsUntrusted }
        if !reasons.isDisjoint(with: self.protocolReasons) { return .tlsProtocol }
        return reasons.isDisjoint(with: self.clientCertificateReasons) ? .tls : .tlsClientCertificate
    }

    /// Extracts the reason from `Error: 268435581 error:1000007d:SSL routines:OPENSSL_internal:REASON at …`.
    private static func reason(of error: BoringSSLInternalError) -> String {
        let text = error.description
        guard let mark = text.firstRange(of: "OPENSSL_internal:") else { return text }
        return String(text[mark.upperBound...].prefix { $0 != " " })
    }
}
