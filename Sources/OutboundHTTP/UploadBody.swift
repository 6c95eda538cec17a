import IDCardMultipartForm

/// The body of a request: a form, or bytes as they are.
///
/// Raw bytes are read through a form of one part whose framing is cut off again: so a file that changes while it is
/// sent is noticed by the same code, and by nothing less.
struct UploadBody: Sendable {
    /// The length in bytes.
    let length: UInt64
    /// The value of `Content-Type`.
    let contentType: String
    /// Whether reading it may block.
    let readsFiles: Bool

    private let form: MultipartForm
    private let skipped: Int

    /// Sends a form.
    init(_ form: MultipartForm) {
        self.form = form
        self.length = form.contentLength
        self.contentType = form.contentType
        self.skipped = 0
        self.readsFiles = form.parts.contains { part in
            if case .file = part.content { true } else { false }
        }
    }

    /// Sends bytes as they are.
    ///
    /// - Throws: `MultipartFormError`: `invalid_content_type` or `too_large`.
    init(_ content: MultipartForm.Content, contentType: String) throws(MultipartFormError) {
        let boundary = try Boundary("raw")
        self.form = try MultipartForm(
            parts: [.file(content, name: "raw", filename: "raw", contentType: contentType)],
            boundary: boundary
        )
        self.length = content.length
        self.contentType = contentType
        // What follows the content: a line break, and the last boundary line between two pairs of hyphens.
        let suffix = UInt64(2 + 2 + boundary.value.utf8.count + 2 + 2)
        self.skipped = Int(self.form.contentLength - content.length - suffix)
        if case .file = content { self.readsFiles = true } else { self.readsFiles = false }
    }

    /// Makes a reader at the first byte; files are opened once to compare their size.
    ///
    /// - Throws: `MultipartFormError`: `source_unreadable` or `source_changed`.
    func makeReader() throws(MultipartFormError) -> BodyReader {
        var reader = try self.form.makeReader()
        if self.skipped > 0 { _ = try reader.read(upTo: self.skipped) }
        return BodyReader(reader, length: self.length)
    }
}
