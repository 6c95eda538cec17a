extension HTTPFailure {
    /// The closed set of transport failures, for programs and metric labels.
    package struct Code: Hashable, Sendable, CaseIterable, CustomStringConvertible {
        private enum Wrapped: String, CaseIterable {
            case dns
            case connectRefused = "connect_refused"
            case connectTimeout = "connect_timeout"
            case connectFailed = "connect_failed"
            case proxyRefused = "proxy_refused"
            case tls
            case tlsUntrusted = "tls_untrusted"
            case tlsWrongHost = "tls_wrong_host"
            case tlsExpired = "tls_expired"
            case tlsClientCertificate = "tls_client_certificate"
            case tlsProtocol = "tls_protocol"
            case tlsInsecureRefused = "tls_insecure_refused"
            case tlsRequired = "tls_required"
            case poolTimeout = "pool_timeout"
            case deadlineExceeded = "deadline_exceeded"
            case idleWriteTimeout = "idle_write_timeout"
            case idleTimeout = "idle_timeout"
            case connectionStale = "connection_stale"
            case connectionReset = "connection_reset"
            case connectionClosed = "connection_closed"
            case earlySuccess = "early_success"
            case replyTooLarge = "reply_too_large"
            case replyMalformed = "reply_malformed"
            case invalidRequest = "invalid_request"
            case formUnreadable = "form_unreadable"
            case transport
        }

        private let wrapped: Wrapped

        /// The host name has no address.
        package static let dns = Code(wrapped: .dns)
        /// Nothing listens at the address.
        package static let connectRefused = Code(wrapped: .connectRefused)
        /// The address did not answer within the connect timeout, or the proxy or the TLS handshake did not.
        package static let connectTimeout = Code(wrapped: .connectTimeout)
        /// The address cannot be reached for another reason, such as a missing route.
        package static let connectFailed = Code(wrapped: .connectFailed)
        /// The proxy answered, and opened no tunnel.
        package static let proxyRefused = Code(wrapped: .proxyRefused)
        /// The TLS handshake failed for a reason not named below.
        package static let tls = Code(wrapped: .tls)
        /// The server's certificate is issued by nobody that is trusted.
        package static let tlsUntrusted = Code(wrapped: .tlsUntrusted)
        /// The server's certificate is trusted but speaks of another host.
        package static let tlsWrongHost = Code(wrapped: .tlsWrongHost)
        /// A certificate of the server has expired, or is not valid yet.
        package static let tlsExpired = Code(wrapped: .tlsExpired)
        /// The server asks for a certificate of the client and has got none, or not one it accepts. Under TLS 1.3 this
        /// is known only after the head was handed over: the phase says which.
        package static let tlsClientCertificate = Code(wrapped: .tlsClientCertificate)
        /// The peer speaks no TLS, or no version of it that we do.
        package static let tlsProtocol = Code(wrapped: .tlsProtocol)
        /// The connection would not be verified, and the host is not this machine.
        package static let tlsInsecureRefused = Code(wrapped: .tlsInsecureRefused)
        /// Certificates are pinned, and the URL is plain http.
        package static let tlsRequired = Code(wrapped: .tlsRequired)
        /// No connection became free within the pool timeout.
        package static let poolTimeout = Code(wrapped: .poolTimeout)
        /// The time for the whole exchange is used up.
        package static let deadlineExceeded = Code(wrapped: .deadlineExceeded)
        /// The remote took no byte of the body for too long.
        package static let idleWriteTimeout = Code(wrapped: .idleWriteTimeout)
        /// The remote was silent for too long after the request.
        package static let idleTimeout = Code(wrapped: .idleTimeout)
        /// A connection that had served before broke before a byte of the reply: most likely the remote closed it just
        /// when it was used again.
        package static let connectionStale = Code(wrapped: .connectionStale)
        /// The remote reset the connection.
        package static let connectionReset = Code(wrapped: .connectionReset)
        /// The remote closed the connection before its reply was complete.
        package static let connectionClosed = Code(wrapped: .connectionClosed)
        /// The remote answered with success before the form was sent, which it cannot mean.
        package static let earlySuccess = Code(wrapped: .earlySuccess)
        /// The reply is longer than the limit.
        package static let replyTooLarge = Code(wrapped: .replyTooLarge)
        /// The reply is not HTTP.
        package static let replyMalformed = Code(wrapped: .replyMalformed)
        /// The request cannot be expressed, for example a header value with a line break.
        package static let invalidRequest = Code(wrapped: .invalidRequest)
        /// The form's source vanished or changed while it was read.
        package static let formUnreadable = Code(wrapped: .formUnreadable)
        /// Anything else; the phase still holds.
        package static let transport = Code(wrapped: .transport)

        /// All codes.
        package static var allCases: [Code] { Wrapped.allCases.map(Code.init(wrapped:)) }

        /// Whether the fault lies on this side, so that waiting does not mend it.
        package var isLocal: Bool {
            self == .invalidRequest || self == .formUnreadable || self == .tlsInsecureRefused || self == .tlsRequired
        }

        /// The code in words of a metric label, such as `connect_refused`.
        package var description: String { self.wrapped.rawValue }
    }
}
