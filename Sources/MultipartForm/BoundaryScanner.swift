import Glibc

/// Looks for a text in bytes that arrive in pieces.
///
/// Knuth-Morris-Pratt: every byte is looked at once and never again, however hostile the bytes and however they are
/// split.
struct BoundaryScanner {
    private let text: [UInt8]
    /// For each matched length, the length of the longest match that remains after a mismatch there.
    private let fallback: [Int]
    /// How many bytes of the text end at the last byte seen.
    private var matched = 0
    /// Whether the text has been seen.
    private(set) var hasFound = false

    /// Starts before the first byte.
    ///
    /// - Parameter text: What is looked for: not empty.
    init(text: String) {
        let text = Array(text.utf8)
        var fallback = [0]
        var length = 0
        for byte in text.dropFirst() {
            while length > 0, text[length] != byte { length = fallback[length - 1] }
            if text[length] == byte { length += 1 }
            fallback.append(length)
        }
        self.text = text
        self.fallback = fallback
    }

    /// Looks at the next piece of the part.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) {
        guard !self.hasFound, let start = bytes.baseAddress, let first = self.text.first else { return }
        var index = 0
        while index < bytes.count {
            if self.matched == 0 {
                // Most bytes cannot begin the text; the system's search passes them several at a time.
                guard let found = memchr(start + index, Int32(first), bytes.count - index) else { return }
                index = start.distance(to: found)
            }
            let byte = bytes[index]
            index += 1
            while self.matched > 0, self.text[self.matched] != byte {
                self.matched = self.fallback[self.matched - 1]
            }
            if self.text[self.matched] == byte { self.matched += 1 }
            if self.matched == self.text.count {
                self.hasFound = true
                return
            }
        }
    }
}
