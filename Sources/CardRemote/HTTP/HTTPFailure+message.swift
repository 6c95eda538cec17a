import CardModel

extension HTTPFailure {
    /// Names a fault of an exchange and says what to do about it.
    ///
    /// The text depends on the code, never on the library's text, which may quote sent data.
    init(_ error: (any Error)?, phase: HTTPPhase, isCoded: Bool = false, of endpoint: HTTPEndpoint) {
        let code = TransportFault.code(for: error, phase: phase, usesTLS: endpoint.address.usesTLS, isCoded: isCoded)
        self.init(code: code, phase: phase, message: Self.message(for: code, cause: error, endpoint))
    }

    private static func message(for code: Code, cause: (any Error)?, _ endpoint: HTTPEndpoint) -> Message {
        let (remote, proxy) = (endpoint.address.authority, endpoint.proxy?.authority)
        return switch code {
        case .dns: proxy.map(Message.httpProxyUnresolved) ?? .httpUnresolved(remote)
        case .connectRefused: proxy.map(Message.httpProxyConnectRefused) ?? .httpConnectRefused(remote)
        case .connectTimeout: proxy.map { .httpProxyConnectTimeout($0, to: remote) } ?? .httpConnectTimeout(remote)
        case .connectFailed: proxy.map(Message.httpProxyUnreachable) ?? .httpUnreachable(remote)
        case .proxyRefused: .httpProxyRefused(proxy ?? remote, to: remote)
        case .proxyAuthentication: .httpProxyAuthentication(proxy ?? remote)
        case .poolTimeout: .httpPoolTimeout(remote)
        case .deadlineExceeded: .httpDeadlineExceeded(remote)
        case .connectionReset: .httpConnectionReset(remote)
        case .connectionClosed: .httpConnectionClosed(remote)
        case .unaskedAnswer: .httpUnaskedAnswer(remote)
        case .earlySuccess: .httpEarlySuccess(remote)
        case .replyTooLarge: .httpReplyTooLarge(remote)
        case .replyMalformed: .httpReplyMalformed(remote)
        case .replyUndecodable: .httpReplyUndecodable(remote)
        case .invalidRequest: .httpInvalidRequest(remote, cause as? Message ?? .httpIllegalCharacters)
        case .formUnreadable: .httpFormLength(remote)
        case .tlsUntrusted: .httpUntrusted(remote)
        case .tlsWrongHost: .httpWrongHost(remote)
        case .tlsProtocol: .httpNoTLS(remote)
        case .tlsClientCertificate:
            endpoint.showsCertificate ? .httpCertificateRefused(remote) : .httpCertificateMissing(remote)
        case .tls: .httpTLSFailed(remote)
        case .transport: .httpBrokenOff(remote)
        }
    }
}
