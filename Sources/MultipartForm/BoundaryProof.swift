import FoundationEssentials
import Glibc

/// Searches parts to prove that a boundary occurs in none of them.
///
/// RFC 2046 forbids a *line* that starts with `--boundary`; this search covers every byte, as some receivers do: Django
/// 5.2.19 and tornado 6.6.1 cut a part at, or refuse it for, `--boundary` in the middle of a line. Further text
/// after the boundary does not make it safe either.
enum BoundaryProof {
    /// Returns the position of the first part, counted from 1, that holds a text.
    static func firstOccurrence(of text: String, in parts: [MultipartForm.Part]) -> Int? {
        let text = Array(text.utf8)
        return parts.firstIndex { part in part.content.withUnsafeBytes { $0.search(for: text).isWhole } }.map { $0 + 1 }
    }
}

extension UnsafeRawBufferPointer {
    /// Searches for a text that is not empty; compares each byte at most as often as the text is long.
    ///
    /// - Returns: Where the text begins, or where the bytes end with a prefix of it, else their end; and whether the
    ///   whole text was found.
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
