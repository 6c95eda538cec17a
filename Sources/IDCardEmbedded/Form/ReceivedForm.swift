/// A `multipart/form-data` body as it was received (RFC 7578, RFC 2046 section 5.1).
///
/// Written after the RFCs and not after any encoder, ours least of all: an endpoint that shared the sender's mistakes
/// could not find them. It is strict where receivers disagree, because what one reads and another drops is lost
/// silently: a body that is cut, ambiguous or over a limit is an error and never a form with fewer parts.
///
/// Accepted though unusual: a short preamble and epilogue, blanks after a boundary, header and parameter names in any
/// case, unquoted values, a missing last CR LF, an empty file name, and `filename*`, which is ignored.
package struct ReceivedForm: Sendable {
    /// One part, in the order received.
    package struct Part: Sendable {
        /// The parameter `name`, which is required.
        package let name: String
        /// The parameter `filename`: `nil` for text, maybe empty. Not to be used as a path.
        package let filename: String?
        /// The part's content type as sent; `nil` when there was none.
        package let contentType: String?
        /// The bytes, exactly.
        package let body: [UInt8]

        /// The bytes as text; `nil` when they are not UTF-8.
        package var text: String? { String(validating: self.body, as: UTF8.self) }
    }

    /// What a form may be at most.
    package struct Limits: Sendable {
        /// Bytes of the whole body.
        package var bodyBytes = 8_388_608
        /// Bytes of one part's body.
        package var partBytes = 8_388_608
        /// Parts.
        package var parts = 64
        /// Bytes of one part's header lines.
        package var headerBytes = 8_192
        /// Header lines of one part.
        package var headers = 16
        /// Bytes before the first boundary, and bytes after the last.
        package var surroundBytes = 4_096

        /// The defaults.
        package init() {}
    }

    /// The parts; equal names stay separate.
    package let parts: [Part]

    /// Reads a whole body.
    ///
    /// - Parameters:
    ///   - body: The request's body.
    ///   - contentType: The request's `Content-Type` header.
    ///   - contentLength: The request's `Content-Length` header, compared with the body when given.
    ///   - limits: What the form may be at most.
    /// - Throws: ``EmbeddedError``: `formMalformed` or `formTooLarge`. Messages give positions, never names or values.
    package init(
        parsing body: [UInt8],
        contentType: String?,
        contentLength: String? = nil,
        limits: Limits = Limits()
    ) throws(EmbeddedError) {
        guard body.count <= limits.bodyBytes else {
            throw .tooLarge("The body has \(body.count) bytes, at most \(limits.bodyBytes) are read.")
        }
        if let contentLength {
            guard contentLength.utf8.allSatisfy({ (0x30...0x39).contains($0) }), Int(contentLength) == body.count else {
                throw .malformed("The declared length is not that of the body, which has \(body.count) bytes.")
            }
        }
        let boundary = try Self.boundary(of: contentType)
        var splitter = FormSplitter(body: body, boundary: boundary, limits: limits)
        var parts: [Part] = []
        while let range = try splitter.nextPart() {
            guard parts.count < limits.parts else {
                throw .tooLarge("The form has more than \(limits.parts) parts.")
            }
            parts.append(try Part(body[range], position: parts.count + 1, limits: limits))
        }
        self.parts = parts
    }

    /// Takes the boundary from the header and checks it (RFC 2046 section 5.1.1).
    private static func boundary(of contentType: String?) throws(EmbeddedError) -> [UInt8] {
        guard let contentType else { throw .malformed("The request has no content type.") }
        let header = try ParameterizedValue(parsing: Array(contentType.utf8), what: "The request's content type")
        guard header.value == "multipart/form-data" else {
            throw .malformed("The request's content type is not multipart/form-data.")
        }
        guard let boundary = header.parameters["boundary"].map({ Array($0.utf8) }) else {
            throw .malformed("The request's content type has no boundary.")
        }
        guard (1...70).contains(boundary.count), boundary.last != UInt8(ascii: " "),
            boundary.allSatisfy({ $0.isASCIIAlphanumeric || "'()+_,-./:=? ".utf8.contains($0) })
        else {
            throw .malformed("The boundary is not 1 to 70 of the characters RFC 2046 allows.")
        }
        return boundary
    }
}

extension EmbeddedError {
    static func malformed(_ message: String) -> EmbeddedError {
        EmbeddedError(code: .formMalformed, message: message)
    }

    static func tooLarge(_ message: String) -> EmbeddedError {
        EmbeddedError(code: .formTooLarge, message: message)
    }
}
