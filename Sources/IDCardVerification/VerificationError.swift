/// Says why a verification client cannot be set up; what happens to a photo is a value, `VerificationOutcome`.
package struct VerificationError: Error, Sendable, CustomStringConvertible {
    /// The closed set of reasons, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case unsupportedDialect = "unsupported_dialect"
            case invalidURL = "invalid_url"
            case missingCredentials = "missing_credentials"
        }

        private let wrapped: Wrapped

        /// The dialect is known by name but not built in.
        package static let unsupportedDialect = Code(wrapped: .unsupportedDialect)
        /// `verification.url` is not a URL that a request can be sent to.
        package static let invalidURL = Code(wrapped: .invalidURL)
        /// `verification.api_key` or `verification.api_secret` is empty.
        package static let missingCredentials = Code(wrapped: .missingCredentials)

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
