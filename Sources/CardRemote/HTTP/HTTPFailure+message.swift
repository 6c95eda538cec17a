import CardModel

extension HTTPFailure {
    /// Creates the failure of an exchange from the error in which it ended.
    init(_ error: (any Error)?, phase: HTTPPhase, isCoded: Bool = false, of endpoint: HTTPEndpoint) {
        let code = TransportFault.code(for: error, phase: phase, usesTLS: endpoint.address.usesTLS, isCoded: isCoded)
        let remote = endpoint.address.authority
        let message: Message =
            switch code {
            case .invalidRequest: .httpInvalidRequest(remote, error as? Message ?? .httpIllegalCharacters)
            case .tlsClientCertificate where endpoint.showsCertificate: .httpCertificateRefused(remote)
            default: code.message(of: remote, proxy: endpoint.proxy?.authority)
            }
        self.init(code: code, phase: phase, message: message)
    }
}

extension HTTPFailure.Code {
    /// Returns a message with the remedy; never the library's text, which may quote sent data.
    func message(of remote: String, proxy: String? = nil) -> Message {
        switch self {
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
        case .invalidRequest: .httpInvalidRequest(remote, .httpIllegalCharacters)
        case .formUnreadable: .httpFormLength(remote)
        case .tlsUntrusted: .httpUntrusted(remote)
        case .tlsWrongHost: .httpWrongHost(remote)
        case .tlsProtocol: .httpNoTLS(remote)
        case .tlsClientCertificate: .httpCertificateMissing(remote)
        case .tls: .httpTLSFailed(remote)
        case .transport: .httpBrokenOff(remote)
        }
    }
}
