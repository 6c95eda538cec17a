import NIOSSL

/// Names the faults of a TLS handshake: from the texts of BoringSSL, which were not made for people, to our codes.
enum TLSFault {
    /// What a peer says by an alert when it refuses our certificate, or the lack of one (RFC 8446 section 6.2).
    ///
    /// `SSLV3_ALERT_HANDSHAKE_FAILURE` is what TLS 1.2 has for a missing one; an alert of that name that comes before
    /// certificates are spoken of has the reason `HANDSHAKE_FAILURE_ON_CLIENT_HELLO` beside it.
    private static let clientCertificateReasons: Set<String> = [
        "SSLV3_ALERT_BAD_CERTIFICATE", "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE", "SSLV3_ALERT_CERTIFICATE_REVOKED",
        "SSLV3_ALERT_CERTIFICATE_EXPIRED", "SSLV3_ALERT_CERTIFICATE_UNKNOWN", "SSLV3_ALERT_NO_CERTIFICATE",
        "SSLV3_ALERT_HANDSHAKE_FAILURE", "TLSV1_ALERT_UNKNOWN_CA", "TLSV1_ALERT_ACCESS_DENIED",
        "TLSV1_ALERT_CERTIFICATE_REQUIRED",
    ]

    /// What it is called when the peer speaks another protocol, or no version or cipher in common.
    private static let protocolReasons: Set<String> = [
        "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "UNSUPPORTED_PROTOCOL", "UNEXPECTED_RECORD",
        "TLSV1_ALERT_PROTOCOL_VERSION", "HANDSHAKE_FAILURE_ON_CLIENT_HELLO", "UNEXPECTED_MESSAGE",
        "NO_SHARED_CIPHER", "WRONG_SSL_VERSION", "INVALID_SSL_SESSION",
    ]

    /// Names an error of NIOSSL; `nil` if it is none.
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

    /// Takes the reason out of `Error: 268435581 error:1000007d:SSL routines:OPENSSL_internal:REASON at …`.
    private static func reason(of error: BoringSSLInternalError) -> String {
        let text = error.description
        guard let mark = text.firstRange(of: "OPENSSL_internal:") else { return text }
        return String(text[mark.upperBound...].prefix { $0 != " " })
    }
}
