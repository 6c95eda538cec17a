/// Says why the outbound side cannot be set up.
///
/// What happens to a single request is a value, ``HTTPExchange``, not an error.
package struct OutboundHTTPError: Error, Sendable, CustomStringConvertible {
    /// The closed set of reasons, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case invalidURL = "invalid_url"
            case invalidProxy = "invalid_proxy"
            case tlsFileUnreadable = "tls_file_unreadable"
            case tlsFileInvalid = "tls_file_invalid"
            case tlsCertificateExpired = "tls_certificate_expired"
            case tlsTrustIncomplete = "tls_trust_incomplete"
            case tlsKeyMismatch = "tls_key_mismatch"
            case tlsInsecureRefused = "tls_insecure_refused"
            case tlsRequired = "tls_required"
        }

        private let wrapped: Wrapped

        /// A URL that no request can be sent to.
        package static let invalidURL = Code(wrapped: .invalidURL)
        /// A proxy that nothing can be sent through.
        package static let invalidProxy = Code(wrapped: .invalidProxy)
        /// A file of certificates or a key is missing or cannot be read.
        package static let tlsFileUnreadable = Code(wrapped: .tlsFileUnreadable)
        /// A file holds no certificate, or no key without passphrase, in PEM.
        package static let tlsFileInvalid = Code(wrapped: .tlsFileInvalid)
        /// A certificate of ours, or a trusted one, has expired.
        package static let tlsCertificateExpired = Code(wrapped: .tlsCertificateExpired)
        /// A trusted certificate that cannot end a chain, because its issuer is not listed; or none at all.
        package static let tlsTrustIncomplete = Code(wrapped: .tlsTrustIncomplete)
        /// The client's key and certificate do not belong together.
        package static let tlsKeyMismatch = Code(wrapped: .tlsKeyMismatch)
        /// TLS without verification is asked for towards a host that is not this machine.
        package static let tlsInsecureRefused = Code(wrapped: .tlsInsecureRefused)
        /// Certificates are pinned, and the endpoint is plain http.
        package static let tlsRequired = Code(wrapped: .tlsRequired)

        /// The code in words, such as `invalid_url`.
        package var description: String { self.wrapped.rawValue }
    }

    /// The reason, for programs.
    package let code: Code
    /// What is wrong and what to do, for people; a path at most, never a URL, which may hold a password.
    package let message: String
    /// The error underneath, when there is one.
    package let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message.
    package var description: String { "\(self.code): \(self.message)" }
}
