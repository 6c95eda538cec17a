extension HTTPFailure {
    /// The closed set of transport failures, for programs and metric labels.
    package struct Code: Hashable, Sendable, CaseIterable, CustomStringConvertible {
        private enum Wrapped: String, CaseIterable {
            case dns
            case connectRefused = "connect_refused"
            case connectTimeout = "connect_timeout"
            case connectFailed = "connect_failed"
            case tls
            case poolTimeout = "pool_timeout"
            case deadlineExceeded = "deadline_exceeded"
            case idleTimeout = "idle_timeout"
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
        /// The address did not answer within the connect timeout.
        package static let connectTimeout = Code(wrapped: .connectTimeout)
        /// The address cannot be reached for another reason, such as a missing route.
        package static let connectFailed = Code(wrapped: .connectFailed)
        /// The TLS handshake failed.
        package static let tls = Code(wrapped: .tls)
        /// No connection became free within the connect timeout.
        package static let poolTimeout = Code(wrapped: .poolTimeout)
        /// The time for the whole exchange is used up.
        package static let deadlineExceeded = Code(wrapped: .deadlineExceeded)
        /// The remote was silent for too long after the request.
        package static let idleTimeout = Code(wrapped: .idleTimeout)
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
        package var isLocal: Bool { self == .invalidRequest || self == .formUnreadable }

        /// The code in words of a metric label, such as `connect_refused`.
        package var description: String { self.wrapped.rawValue }
    }
}
