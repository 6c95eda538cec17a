/// Says why the credentials of the embedded endpoints cannot be had; `run` ends with the status of a sandbox error.
struct EmbeddedCredentialsError: Error, CustomStringConvertible {
    /// The closed set of reasons, for programs.
    struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case unreadable = "credentials_unreadable"
            case malformed = "credentials_malformed"
            case unwritable = "credentials_unwritable"
        }

        private let wrapped: Wrapped

        /// The file is there, but cannot be read.
        static let unreadable = Code(wrapped: .unreadable)
        /// The file holds no credentials.
        static let malformed = Code(wrapped: .malformed)
        /// The file cannot be made.
        static let unwritable = Code(wrapped: .unwritable)

        /// The code in words, such as `credentials_malformed`.
        var description: String { self.wrapped.rawValue }
    }

    /// The reason, for programs.
    let code: Code
    /// What is wrong with which file and what to do, without its content.
    let message: String
    /// The error underneath, if there is one.
    let cause: (any Error)?

    /// The message.
    var description: String { self.message }
}
