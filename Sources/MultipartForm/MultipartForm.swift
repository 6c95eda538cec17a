import FoundationEssentials

/// A `multipart/form-data` body (RFC 7578), held as parts and a boundary and assembled while it is read.
///
/// The exact length is known before the first byte, and every reader yields the same bytes, so that a request can be
/// sent again after a lost response. The contents are not copied: beside them, memory holds one chunk.
///
/// ```swift
/// let parts: [MultipartForm.Part] = [
///     .text("LOAN_APPLY", name: "BUSINESSTYPE"),
///     .file(jpeg, name: "FILE", filename: "IDFrontImage.jpg", contentType: "image/jpeg"),
/// ]
/// let form = try MultipartForm(parts: parts, boundary: .derived(from: key, absentFrom: parts))
/// var reader = form.makeReader()
/// while let chunk = reader.read(upTo: 65_536) { send(chunk) }
/// ```
///
/// The bytes, with boundary `B` and per part header lines of `h` bytes (each with its CR LF) and content of `d` bytes:
/// `--B CRLF`, header lines, `CRLF`, content, `CRLF` for each part; then `--B-- CRLF`. Hence the length
/// `Σ(2+B+2 + h + 2 + d + 2) + (2+B+2+2)`; a form without parts has `B + 6` bytes.
package struct MultipartForm: Sendable {
    /// The parts in the order they are sent; equal names stay separate parts.
    package let parts: [Part]
    package let boundary: Boundary
    /// The exact length of the body in bytes, for the `Content-Length` header.
    package let contentLength: Int

    /// The bytes before the content of a part and the content, alternately, then the closing line.
    let segments: [Data]

    /// Creates a form after checking names and content types.
    ///
    /// Does not search the parts for the boundary: use ``Boundary/derived(from:absentFrom:)`` for that.
    ///
    /// - Parameter parts: The parts in order; without parts the form is valid, too.
    /// - Throws: ``MultipartFormError``: `invalid_name` or `invalid_content_type`.
    package init(parts: [Part], boundary: Boundary) throws(MultipartFormError) {
        var segments: [Data] = []
        var pending: [UInt8] = []
        for (index, part) in parts.enumerated() {
            pending += Array("--\(boundary.value)\r\n".utf8)
            pending += try PartHeader.bytes(of: part, position: index + 1)
            pending += Array("\r\n".utf8)
            segments += [Data(pending), part.content]
            pending = Array("\r\n".utf8)
        }
        pending += Array("--\(boundary.value)--\r\n".utf8)
        segments.append(Data(pending))
        self.contentLength = segments.reduce(0) { $0 + $1.count }
        self.segments = segments
        self.parts = parts
        self.boundary = boundary
    }

    /// The value of the `Content-Type` header: `multipart/form-data; boundary=…`.
    package var contentType: String { "multipart/form-data; boundary=\(self.boundary.value)" }
}

extension MultipartForm: SelfRedacting {
    /// The number of parts and the length; names, values and the boundary may be secret or personal.
    package var description: String { "MultipartForm(\(self.parts.count) parts, \(self.contentLength) bytes)" }
}
