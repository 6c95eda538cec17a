import FoundationEssentials

/// A `multipart/form-data` body as a recipe (RFC 7578): parts and a boundary, not a stream.
///
/// The exact length is known before the first byte, and every reader yields the same bytes, so that a request can be
/// sent again after a lost answer. Memory is bounded by the chunk, not by the parts.
///
/// ```swift
/// let parts: [MultipartForm.Part] = [
///     .text("LOAN_APPLY", name: "BUSINESSTYPE"),
///     .file(.bytes(jpeg), name: "FILE", filename: "IDFrontImage.jpg", contentType: "image/jpeg"),
/// ]
/// let form = try MultipartForm(parts: parts, boundary: .derived(from: key, absentFrom: parts))
/// var reader = try form.makeReader()
/// while let chunk = try reader.read() { send(chunk) }
/// ```
///
/// The bytes, with boundary `B` and per part header lines of `h` bytes (each with its CR LF) and content of `d` bytes:
/// `--B CRLF`, header lines, `CRLF`, content, `CRLF` for each part; then `--B-- CRLF`. Hence the length
/// `Σ(2+B+2 + h + 2 + d + 2) + (2+B+2+2)`; a form without parts has `B + 6` bytes.
package struct MultipartForm: Sendable {
    /// The chunk a reader yields when nobody says otherwise, in bytes.
    package static let defaultChunkSize = 65_536

    /// The parts in the order they are sent; equal names stay separate parts.
    package let parts: [Part]
    /// The line between the parts.
    package let boundary: Boundary
    /// The exact length of the body in bytes, for the `Content-Length` header.
    package let contentLength: UInt64

    let segments: [Segment]

    /// Describes a form.
    ///
    /// Checks names, content types and lengths. Reads no file, and does not look for the boundary in the parts: use
    /// ``Boundary/derived(from:absentFrom:)`` or ``proveBoundaryAbsent()`` for that.
    ///
    /// - Parameters:
    ///   - parts: The parts in order; none is a valid form.
    ///   - boundary: The line between the parts.
    /// - Throws: ``MultipartFormError``: `invalid_name`, `invalid_content_type` or `too_large`.
    package init(parts: [Part], boundary: Boundary) throws(MultipartFormError) {
        var segments: [Segment] = []
        var pending: [UInt8] = []
        for (index, part) in parts.enumerated() {
            pending += Array("--\(boundary.value)\r\n".utf8)
            pending += try PartHeader(part: part, position: index + 1).bytes
            pending += Array("\r\n".utf8)
            segments.append(Segment(content: .bytes(Data(pending)), partPosition: index + 1))
            segments.append(Segment(content: part.content, partPosition: index + 1))
            pending = Array("\r\n".utf8)
        }
        pending += Array("--\(boundary.value)--\r\n".utf8)
        segments.append(Segment(content: .bytes(Data(pending)), partPosition: parts.count))
        self.contentLength = try Self.sum(of: segments)
        self.segments = segments
        self.parts = parts
        self.boundary = boundary
    }

    /// The value of the `Content-Type` header: `multipart/form-data; boundary=…`.
    package var contentType: String { "multipart/form-data; boundary=\(self.boundary.value)" }

    private static func sum(of segments: [Segment]) throws(MultipartFormError) -> UInt64 {
        var total: UInt64 = 0
        for segment in segments {
            let length = segment.content.length
            // One byte more is asked for at a file's end, and positions are signed.
            guard length < UInt64(Int64.max) else {
                throw MultipartFormError(
                    .tooLarge,
                    "Part \(segment.partPosition) claims \(length) bytes; no file is that long."
                )
            }
            let (sum, overflow) = total.addingReportingOverflow(length)
            guard !overflow else {
                throw MultipartFormError(.tooLarge, "The parts together exceed \(UInt64.max) bytes; send fewer.")
            }
            total = sum
        }
        return total
    }

    /// A run of bytes with one source: a part's content, or what stands before it.
    struct Segment: Sendable {
        let content: Content
        let partPosition: Int
    }
}

extension MultipartForm: SelfRedacting {
    /// The number of parts and the length; names, values and the boundary may be secret or personal.
    package var description: String { "MultipartForm(\(self.parts.count) parts, \(self.contentLength) bytes)" }
}
