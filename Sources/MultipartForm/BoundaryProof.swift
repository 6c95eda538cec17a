import FoundationEssentials
import Glibc

/// Reads parts to the end to prove that a boundary occurs in none of them.
///
/// RFC 2046 forbids a *line* that starts with `--boundary`; this looks everywhere, because receivers do: Django 5.2.19
/// and tornado 6.6.1 cut a part at, or refuse it for, `--boundary` in the middle of a line. Text after it does not make
/// it safe either.
enum BoundaryProof {
    private static let chunkSize = 65_536

    /// The position of the first part, counted from 1, that holds a text.
    static func firstOccurrence(
        of text: String,
        in parts: [MultipartForm.Part]
    ) throws(MultipartFormError) -> Int? {
        let text = Array(text.utf8)
        for (index, part) in parts.enumerated() {
            let isFound =
                switch part.content {
                case .bytes(let data): data.withUnsafeBytes { $0.search(for: text).isWhole }
                case .file(let path, let length):
                    try self.holds(text, try SourceFile(path: path, length: length, partPosition: index + 1), length)
                }
            if isFound { return index + 1 }
        }
        return nil
    }

    private static func holds(
        _ text: [UInt8],
        _ file: SourceFile,
        _ length: UInt64
    ) throws(MultipartFormError) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: self.chunkSize, alignment: 1)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while offset < length {
            let count = try file.read(into: buffer, at: offset)
            if UnsafeRawBufferPointer(rebasing: buffer[..<count]).search(for: text).isWhole { return true }
            offset += UInt64(count)
            // The next chunk begins with what may be the text's beginning.
            if offset < length { offset -= UInt64(text.count - 1) }
        }
        try file.verifyEnd()
        return false
    }
}

extension UnsafeRawBufferPointer {
    /// Looks for a text that is not empty.
    ///
    /// - Returns: where it begins, or where a beginning of it ends the bytes, else their end; and whether all of it is
    ///   there. Its length bounds how often a byte is looked at.
    func search(for text: [UInt8]) -> (start: Int, isWhole: Bool) {
        var position = 0
        while let base = self.baseAddress, position < self.count,
            let hit = memchr(base + position, CInt(text[0]), self.count - position)
        {
            let start = UnsafeRawPointer(hit) - base
            let length = Swift.min(text.count, self.count - start)
            if memcmp(hit, text, length) == 0 { return (start, length == text.count) }
            position = start + 1
        }
        return (self.count, false)
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
    package func proveBoundaryAbsent() throws(MultipartFormError) {
        if let position = try BoundaryProof.firstOccurrence(of: "--" + self.boundary.value, in: self.parts) {
            throw MultipartFormError(.boundaryCollision, "Part \(position) holds the boundary; derive the next one.")
        }
    }
}
