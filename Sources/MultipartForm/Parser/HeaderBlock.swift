import Glibc

/// Gathers the header lines of one part, up to and with the empty line.
///
/// The only bytes a parser keeps from one chunk to the next, and bounded by the limits. Line ends are CR LF; a line is
/// never folded (RFC 9112 section 5.2 lets a receiver refuse that, and receivers disagree on it).
struct HeaderBlock: Sendable {
    /// The lines so far.
    private(set) var fields: [PartHead.Field] = []

    private let partPosition: Int
    private var line: [UInt8] = []
    private var size = 0

    /// Starts before the first line.
    ///
    /// - Parameter partPosition: The part's position in the form, from 1, for messages.
    init(partPosition: Int) {
        self.partPosition = partPosition
    }

    /// Reads to the end of a line at most.
    ///
    /// - Returns: How many bytes were read, and whether they ended with the empty line.
    /// - Throws: ``MultipartFormError``: `header_too_large`, `too_many_headers` or `malformed_header`.
    mutating func consume(
        _ bytes: UnsafeRawBufferPointer,
        limits: MultipartParser.Limits
    ) throws(MultipartFormError) -> (count: Int, isComplete: Bool) {
        guard let base = bytes.baseAddress else { return (0, false) }
        let lineFeed = memchr(base, CInt(UInt8(ascii: "\n")), bytes.count).map { UnsafeRawPointer($0) - base }
        let count = lineFeed.map { $0 + 1 } ?? bytes.count
        self.size += count
        guard self.size <= limits.partHeaderBytes else {
            throw MultipartFormError(
                .headerTooLarge,
                "The header lines of part \(self.partPosition) exceed \(limits.partHeaderBytes) bytes; send fewer."
            )
        }
        self.line += bytes[..<count]
        guard lineFeed != nil else { return (count, false) }
        defer { self.line.removeAll(keepingCapacity: true) }
        guard self.line.suffix(2).elementsEqual("\r\n".utf8) else {
            throw self.malformed("ends in LF alone; end lines with CR LF")
        }
        self.line.removeLast(2)
        if self.line.isEmpty { return (count, true) }
        guard self.fields.count < limits.partHeaderCount else {
            throw MultipartFormError(
                .tooManyHeaders,
                "Part \(self.partPosition) has more than \(limits.partHeaderCount) header lines; send fewer."
            )
        }
        self.fields.append(try self.field())
        return (count, false)
    }

    private func field() throws(MultipartFormError) -> PartHead.Field {
        guard !self.line.contains(where: { $0 == UInt8(ascii: "\r") || $0 == 0 }) else {
            throw self.malformed("holds CR or NUL; remove it")
        }
        guard let colon = self.line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            self.line[..<colon].allSatisfy(HeaderValue.isTokenByte)
        else {
            throw self.malformed("has no name before a colon, or is folded; write 'Name: value' on one line")
        }
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var value = self.line[(colon + 1)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        guard let text = String(validating: value, as: UTF8.self) else {
            throw self.malformed("is not UTF-8; send UTF-8")
        }
        return PartHead.Field(name: String(decoding: self.line[..<colon], as: UTF8.self), value: text)
    }

    private func malformed(_ what: String) -> MultipartFormError {
        MultipartFormError(.malformedHeader, "A header line of part \(self.partPosition) \(what).")
    }
}
