/// Says why a verification client cannot be set up; what happens to a photo is a value, `VerificationOutcome`.
package struct VerificationError: Error, Sendable, CustomStringConvertible {
    /// The closed set of reasons, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case invalidURL = "invalid_url"
            case missingCredentials = "missing_credentials"
            case invalidLifetime = "invalid_lifetime"
        }

        private let wrapped: Wrapped

        /// `verification.url` is not a URL that a request can be sent to.
        package static let invalidURL = Code(wrapped: .invalidURL)
        /// `verification.api_key` or `verification.api_secret` is empty.
        package static let missingCredentials = Code(wrapped: .missingCredentials)
        /// `verification.sign_lifetime` is shorter than a second or longer than a year.
        package static let invalidLifetime = Code(wrapped: .invalidLifetime)

        /// The code in words, such as `invalid_url`.
        package var description: String { self.wrapped.rawValue }
    }

    /// The reason, for programs.
    package let code: Code
    /// What is wrong and what to do, naming the configuration key; never a key's value.
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
