/// Says why a form could not be built, read or proven.
///
/// Programs decide on ``code``; people read ``message``, which names parts by their position and never holds a part's
/// name, value, file name or path: those may be personal data.
public struct MultipartFormError: Error, Sendable, CustomStringConvertible {
    /// The closed set of reasons, for programs and metric labels.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Wrapped: String {
            case invalidBoundary = "invalid_boundary"
            case invalidName = "invalid_name"
            case invalidContentType = "invalid_content_type"
            case boundaryCollision = "boundary_collision"
            case sourceChanged = "source_changed"
            case sourceUnreadable = "source_unreadable"
            case tooLarge = "too_large"
        }

        private let wrapped: Wrapped

        /// The boundary is empty, longer than 70 characters, or holds a character outside `[0-9A-Za-z-]`.
        public static let invalidBoundary = Code(wrapped: .invalidBoundary)
        /// A part's name or file name is empty or holds NUL.
        public static let invalidName = Code(wrapped: .invalidName)
        /// A part's content type is not `type/subtype` in printable ASCII.
        public static let invalidContentType = Code(wrapped: .invalidContentType)
        /// Some part holds `--boundary`.
        public static let boundaryCollision = Code(wrapped: .boundaryCollision)
        /// A file holds fewer, more or other bytes than when the form was described.
        public static let sourceChanged = Code(wrapped: .sourceChanged)
        /// A file is missing, is not a regular file, or cannot be read.
        public static let sourceUnreadable = Code(wrapped: .sourceUnreadable)
        /// A length, or the sum of all lengths, does not fit.
        public static let tooLarge = Code(wrapped: .tooLarge)

        /// The code in words of a metric label, such as `source_changed`.
        public var description: String { self.wrapped.rawValue }
    }

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
