import CardModel

extension HTTPFailure {
    /// Names a fault of an exchange and says what to do about it.
    ///
    /// The text is written from the code, never from the library's text, which may quote what was sent.
    init(_ error: (any Error)?, phase: HTTPPhase, isCoded: Bool = false, of endpoint: HTTPEndpoint) {
        let code = TransportFault.code(for: error, phase: phase, usesTLS: endpoint.address.usesTLS, isCoded: isCoded)
        self.init(code: code, phase: phase, message: Self.message(for: code, phase: phase, cause: error, endpoint))
    }

    private static func message(
        for code: Code,
        phase: HTTPPhase,
        cause: (any Error)?,
        _ endpoint: HTTPEndpoint
    ) -> Message {
        let remote = endpoint.address.authority
        let peer: Message = endpoint.proxy.map { "the proxy \($0.authority)" } ?? "\(remote)"
        return switch code {
        case .dns: "the host name of \(peer) has no address; check the URL and this machine's name service"
        case .connectRefused: "\(peer) refused the connection; check that the service runs and that the port is right"
        case .connectTimeout where endpoint.proxy != nil:
            "\(peer) opened no connection to \(remote) in time; check the proxy and its way there"
        case .connectTimeout:
            """
            \(remote) did not answer the connection or its TLS handshake in time; check the network, the firewall and \
            the port
            """
        case .connectFailed: "\(peer) cannot be reached; check the network and the URL"
        case .proxyRefused:
            "\(peer) opened no tunnel to \(remote); check that it allows this host and port, and its log"
        case .proxyAuthentication:
            "\(peer) wants a user name and password, or other ones; check them in the proxy's URL"
        case .poolTimeout: "no connection to \(remote) became free in time; raise the concurrency, or check its load"
        case .deadlineExceeded: "\(remote) did not finish its answer in time; check its load, or raise the timeout"
        case .connectionReset: "\(remote) reset the connection during the request; look into its log or a proxy's"
        case .connectionClosed: "\(remote) closed the connection before its answer was complete; look into its log"
        case .unaskedAnswer:
            "\(remote) sent an answer that was not asked for; check that the URL is the service's, and look into its log"
        case .earlySuccess:
            "\(remote) answered with success before the form was sent; check that the URL is the service's"
        case .replyTooLarge:
            "the answer of \(remote) has more than \(Limits.replyBytes) bytes; check that the URL is the service's"
        case .replyMalformed: "the answer of \(remote) is not HTTP; check the scheme and the port of the URL"
        case .replyUndecodable:
            "the answer of \(remote) is compressed and cannot be inflated within the limit; have it sent uncompressed"
        case .invalidRequest: Self.requestMessage(remote, cause)
        case .formUnreadable: "the form for \(remote) had another length than was announced; report this"
        case .tls, .tlsUntrusted, .tlsWrongHost, .tlsClientCertificate, .tlsProtocol:
            Self.tlsMessage(for: code, phase: phase, endpoint)
        case .transport: "the exchange with \(remote) broke off for an unexpected reason; look into its log"
        }
    }

    private static func tlsMessage(for code: Code, phase: HTTPPhase, _ endpoint: HTTPEndpoint) -> Message {
        let remote = endpoint.address.authority
        switch code {
        case .tlsUntrusted:
            return """
                the certificate of \(remote) is not trusted here, or out of its time; check that this is the right \
                server and this machine's clock, then give tls.ca_file its authority's certificates, or its own if it \
                has issued itself
                """
        case .tlsWrongHost:
            return """
                the certificate of \(remote) is trusted but made out to another host; use the name in the certificate \
                in the URL, or have it issued for this one
                """
        case .tlsProtocol:
            return """
                \(remote) does not speak TLS on this port, or no version of it from 1.2 on; check the scheme and the \
                port of the URL
                """
        case .tlsClientCertificate:
            let what: Message =
                endpoint.showsCertificate
                ? "\(remote) refuses our client certificate; check that it is valid and issued by an authority it knows"
                : """
                \(remote) demands a client certificate and none is configured; set tls.client_certificate and \
                tls.client_key
                """
            // TLS 1.3: the server's word comes after the handshake is over for us.
            return phase == .notSent ? what : what + " (said after the request had been handed over)"
        default:
            return "no encrypted connection to \(remote) came about; check its certificate and that the port speaks TLS"
        }
    }

    private static func requestMessage(_ remote: String, _ cause: (any Error)?) -> Message {
        let what = (cause as? HeaderViolation)?.message ?? "a header or the URL holds illegal characters"
        return "the request to \(remote) cannot be expressed: \(what)"
    }
}
