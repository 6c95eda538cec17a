/// Says why a form could not be built, read, proven or parsed.
///
/// Programs decide on ``code``; people read ``message``, which names parts by their position and never holds a part's
/// name, value, file name or path: those may be personal data.
public struct MultipartFormError: Error, Sendable, CustomStringConvertible {
    /// The reason, for programs.
    public let code: Code
    /// What happened and what to do, for people; no personal data.
    public let message: String
    /// The error underneath, when there is one.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message.
    public var description: String { "\(self.code): \(self.message)" }
}
