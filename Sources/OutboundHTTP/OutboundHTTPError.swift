/// Says why the outbound side cannot be set up.
///
/// What happens to a single request is a value, ``HTTPExchange``, not an error.
package struct OutboundHTTPError: Error, Sendable, CustomStringConvertible {
    /// The closed set of reasons, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case invalidURL = "invalid_url"
        }

        private let wrapped: Wrapped

        /// A URL that no request can be sent to.
        package static let invalidURL = Code(wrapped: .invalidURL)

        /// The code in words, such as `invalid_url`.
        package var description: String { self.wrapped.rawValue }
    }

    /// The reason, for programs.
    package let code: Code
    /// What is wrong and what to do, for people; never the URL itself, which may hold a password.
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
