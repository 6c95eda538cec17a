/// The reason why a form could not be built or parsed, or why no boundary could be proven absent.
///
/// Programs decide on ``code``; people read ``message``, which names parts by their position and never holds a part's
/// name, value or file name: those may be personal data.
package struct MultipartFormError: Error, Sendable, CustomStringConvertible {
    /// The reason, for programs; the raw value is a metric label.
    package enum Code: String, Sendable, Hashable, CustomStringConvertible {
        // Building and proving a form.

        /// The boundary is empty, longer than 70 characters, or holds a character that is not allowed in it; in a
        /// received `Content-Type` also: it is missing or given twice.
        case invalidBoundary = "invalid_boundary"
        /// A part's name or file name is empty or holds NUL.
        case invalidName = "invalid_name"
        /// A part's content type is not `type/subtype` in printable ASCII.
        case invalidContentType = "invalid_content_type"
        /// The parts hold every boundary of a key that is tried.
        case boundaryCollision = "boundary_collision"

        // Parsing a received form.

        /// The `Content-Type` of the request is not `multipart/form-data`, or cannot be parsed.
        case notFormData = "not_form_data"
        /// The body ended before the closing delimiter; an empty body too.
        case truncated
        /// A line starts with `--boundary` and continues with something other than padding or the closing dashes.
        case malformedDelimiter = "malformed_delimiter"
        /// A header line has no name or colon, is folded, holds NUL, or ends in CR or LF alone; or the name of a part
        /// is not UTF-8.
        case malformedHeader = "malformed_header"
        /// A part has no single `Content-Disposition: form-data` that can be parsed, or two of `name` or `filename` in
        /// it.
        case invalidDisposition = "invalid_disposition"
        case missingName = "missing_name"
        /// A part has a transfer encoding such as Base64: stored undecoded, the content would be wrong.
        case unsupportedTransferEncoding = "unsupported_transfer_encoding"
        case tooManyParts = "too_many_parts"
        case tooManyHeaders = "too_many_headers"
        case headerTooLarge = "header_too_large"
        case partTooLarge = "part_too_large"
        case bodyTooLarge = "body_too_large"
        /// The text before the first part or after the last, or the padding after a boundary exceeds the limit.
        case surroundingsTooLarge = "surroundings_too_large"

        /// Whether a limit was exceeded, so that the response is 413 rather than 400.
        package var isLimit: Bool {
            [.tooManyParts, .tooManyHeaders, .headerTooLarge, .partTooLarge, .bodyTooLarge, .surroundingsTooLarge]
                .contains(self)
        }

        package var description: String { self.rawValue }
    }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(self.code): \(self.message)" }
}

func require(
    _ condition: Bool,
    _ code: MultipartFormError.Code,
    _ message: @autoclosure () -> String
) throws(MultipartFormError) {
    if !condition { throw MultipartFormError(code, message()) }
}

/// A value that may hold personal data and prints only what its `description` says: kinds and lengths.
package protocol SelfRedacting: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension SelfRedacting {
    package var debugDescription: String { self.description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
