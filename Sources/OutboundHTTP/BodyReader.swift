import IDCardMultipartForm

/// Reads the bytes of a request body in order.
struct BodyReader: Sendable {
    /// The bytes yet to be read.
    private(set) var remaining: UInt64
    private var reader: MultipartForm.Reader

    /// Reads so many bytes from where a reader stands.
    init(_ reader: MultipartForm.Reader, length: UInt64) {
        self.reader = reader
        self.remaining = length
    }

    /// Puts the next bytes into memory.
    ///
    /// - Returns: how many were put at its start; 0 at the end.
    /// - Throws: `MultipartFormError`: `source_unreadable` or `source_changed`.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(MultipartFormError) -> Int {
        let count = Int(min(UInt64(buffer.count), self.remaining))
        guard count > 0 else { return 0 }
        let filled = try self.reader.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)))
        self.remaining -= UInt64(filled)
        return filled
    }
}
