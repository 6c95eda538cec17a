/// An error of the server's own: it cannot start, or cannot take over what was changed.
package struct ServerError: Error, Sendable, CustomStringConvertible {
    /// What kind of error, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case listening = "listening_refused"
            case certificate = "certificate_unusable"
            case tokens = "tokens_unusable"
            case webhookSecret = "webhook_secret_invalid"
            case configuration = "configuration_invalid"
        }

        private let value: Value

        /// It would listen where it must not.
        package static let listening = Code(value: .listening)
        /// The certificate or its key cannot be used.
        package static let certificate = Code(value: .certificate)
        /// The file of tokens cannot be used.
        package static let tokens = Code(value: .tokens)
        /// A webhook secret is none.
        package static let webhookSecret = Code(value: .webhookSecret)
        /// A setting has a value that it cannot have.
        package static let configuration = Code(value: .configuration)

        package var description: String { self.value.rawValue }
    }

    /// What kind of error.
    package let code: Code
    /// What happened and what to do; free of secrets and personal data.
    package let message: String
    /// The error below, if any.
    package let cause: (any Error)?

    /// Describes an error.
    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String { "\(self.message) (\(self.code))" }
}
