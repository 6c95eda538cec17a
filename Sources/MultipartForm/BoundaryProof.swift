import FoundationEssentials

/// Reads parts to the end to prove that a boundary occurs in none of them.
///
/// RFC 2046 forbids a *line* that starts with `--boundary`; this looks everywhere, because receivers do: Django 5.2.19
/// and tornado 6.6.1 cut a part at, or refuse it for, `--boundary` in the middle of a line. Text after it does not make
/// it safe either.
enum BoundaryProof {
    private static let chunkSize = 65_536

    /// The position of the first part, counted from 1, that holds a text.
    ///
    /// - Throws: ``MultipartFormError`` when a file cannot be read as described.
    static func firstOccurrence(
        of text: String,
        in parts: [MultipartForm.Part]
    ) throws(MultipartFormError) -> Int? {
        for (index, part) in parts.enumerated() {
            var scanner = BoundaryScanner(text: text)
            switch part.content {
            case .bytes(let data):
                data.withUnsafeBytes { scanner.consume($0) }
            case .file(let path, let length):
                try self.scan(path: path, length: length, position: index + 1, with: &scanner)
            }
            if scanner.hasFound { return index + 1 }
        }
        return nil
    }

    private static func scan(
        path: String,
        length: UInt64,
        position: Int,
        with scanner: inout BoundaryScanner
    ) throws(MultipartFormError) {
        let file = try SourceFile(path: path, length: length, partPosition: position)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: self.chunkSize, alignment: 1)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while offset < length, !scanner.hasFound {
            let count = try file.read(into: buffer, at: offset)
            scanner.consume(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += UInt64(count)
        }
        if offset == length { try file.verifyEnd() }
    }
}

extension MultipartForm {
    /// Proves that `--boundary` occurs in no part, not even in the middle of a line.
    ///
    /// Reads every part, files included, in constant memory. Stricter than RFC 2046, as receivers are. Without this
    /// proof a receiver might cut a part short or see parts nobody sent. ``Boundary/derived(from:absentFrom:)`` gives a
    /// boundary for which it holds.
    ///
    /// - Throws: ``MultipartFormError``: `boundary_collision`, or `source_unreadable` or `source_changed` for a file.
    public func proveBoundaryAbsent() throws(MultipartFormError) {
        guard let position = try BoundaryProof.firstOccurrence(of: "--" + self.boundary.value, in: self.parts) else {
            return
        }
        throw MultipartFormError(
            .boundaryCollision,
            "Part \(position) holds the boundary; derive the next one."
        )
    }
}
