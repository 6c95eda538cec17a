/// An error: a stable code for programs, a message for people, a kind.
package struct CodedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error; decides the command's exit code and the server's status.
    package enum Kind: Hashable, Sendable {
        /// The command line or a request is wrong.
        case usage
        /// An input cannot be read or used.
        case input
        /// An outside service refuses or cannot be reached.
        case endpoint
        /// The sandbox or its disk fails.
        case storage
        /// Another process or person holds a needed resource, or the state of a card forbids the action.
        case conflict
        /// The action may succeed later: no memory, no time, a busy sandbox.
        case temporary
        case configuration
        case notFound
    }

    /// The stable code, such as `image_truncated`.
    package let code: ReasonCode
    package let kind: Kind
    package let message: Message

    package init(_ code: ReasonCode, _ kind: Kind, _ message: Message) {
        self.code = code
        self.kind = kind
        self.message = message
    }

    package static func configuration(_ code: String, _ message: Message) -> CodedError {
        CodedError(ReasonCode(rawValue: code), .configuration, message)
    }

    /// The code and the message, without personal data.
    package var description: String { "\(self.code.rawValue): \(self.message)" }
}
