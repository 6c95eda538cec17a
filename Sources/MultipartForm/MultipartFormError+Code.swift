extension MultipartFormError {
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

            case notFormData = "not_form_data"
            case contentLengthMismatch = "content_length_mismatch"
            case truncated = "truncated"
            case malformedDelimiter = "malformed_delimiter"
            case malformedHeader = "malformed_header"
            case invalidDisposition = "invalid_disposition"
            case missingName = "missing_name"
            case unsupportedTransferEncoding = "unsupported_transfer_encoding"
            case tooManyParts = "too_many_parts"
            case tooManyHeaders = "too_many_headers"
            case headerTooLarge = "header_too_large"
            case partTooLarge = "part_too_large"
            case bodyTooLarge = "body_too_large"
            case surroundingsTooLarge = "surroundings_too_large"
        }

        private let wrapped: Wrapped

        /// The code in words of a metric label, such as `source_changed`.
        public var description: String { self.wrapped.rawValue }
    }
}

// Building, proving and reading a form.
extension MultipartFormError.Code {
    /// The boundary is empty, longer than 70 characters, or holds a character that is not allowed in it; in a received
    /// `Content-Type` also: it is missing or given twice.
    public static let invalidBoundary = Self(wrapped: .invalidBoundary)
    /// A part's name or file name is empty or holds NUL.
    public static let invalidName = Self(wrapped: .invalidName)
    /// A part's content type is not `type/subtype` in printable ASCII.
    public static let invalidContentType = Self(wrapped: .invalidContentType)
    /// Some part holds `--boundary`.
    public static let boundaryCollision = Self(wrapped: .boundaryCollision)
    /// A file holds fewer, more or other bytes than when the form was described.
    public static let sourceChanged = Self(wrapped: .sourceChanged)
    /// A file is missing, is not a regular file, or cannot be read.
    public static let sourceUnreadable = Self(wrapped: .sourceUnreadable)
    /// A length, or the sum of all lengths, does not fit.
    public static let tooLarge = Self(wrapped: .tooLarge)
}

// Parsing a received form.
extension MultipartFormError.Code {
    /// The `Content-Type` of the request is not `multipart/form-data`, or cannot be parsed.
    public static let notFormData = Self(wrapped: .notFormData)
    /// The declared `Content-Length` is negative, or the body has fewer or more bytes.
    public static let contentLengthMismatch = Self(wrapped: .contentLengthMismatch)
    /// The body ended before the closing delimiter; an empty body too.
    public static let truncated = Self(wrapped: .truncated)
    /// A line starts with `--boundary` and goes on with something else than padding or the closing dashes.
    public static let malformedDelimiter = Self(wrapped: .malformedDelimiter)
    /// A part's header line has no name or colon, is folded, is not UTF-8, holds NUL, or ends in CR or LF alone.
    public static let malformedHeader = Self(wrapped: .malformedHeader)
    /// A part has no `Content-Disposition: form-data`, several, one that cannot be parsed, or one that names `name` or
    /// `filename` twice.
    public static let invalidDisposition = Self(wrapped: .invalidDisposition)
    /// A part has no `name`, or an empty one.
    public static let missingName = Self(wrapped: .missingName)
    /// A part is encoded in Base64 or the like: storing it as it is would lose it.
    public static let unsupportedTransferEncoding = Self(wrapped: .unsupportedTransferEncoding)
    /// The body has more parts than the limit.
    public static let tooManyParts = Self(wrapped: .tooManyParts)
    /// A part has more header lines than the limit.
    public static let tooManyHeaders = Self(wrapped: .tooManyHeaders)
    /// The header lines of a part have more bytes than the limit.
    public static let headerTooLarge = Self(wrapped: .headerTooLarge)
    /// The content of a part has more bytes than the limit.
    public static let partTooLarge = Self(wrapped: .partTooLarge)
    /// The body, or its declared length, has more bytes than the limit.
    public static let bodyTooLarge = Self(wrapped: .bodyTooLarge)
    /// The text before the first part, after the last, or the padding after a boundary has more bytes than the limit.
    public static let surroundingsTooLarge = Self(wrapped: .surroundingsTooLarge)

    /// Whether a limit was exceeded, so that 413 rather than 400 is the answer.
    public var isLimit: Bool {
        let limits: Set<Self> = [
            .tooManyParts, .tooManyHeaders, .headerTooLarge, .partTooLarge, .bodyTooLarge, .surroundingsTooLarge,
        ]
        return limits.contains(self)
    }
}
