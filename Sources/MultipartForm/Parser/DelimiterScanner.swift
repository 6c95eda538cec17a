import Glibc

/// Looks for `CR LF --boundary` in bytes that arrive in pieces.
///
/// The delimiter holds CR only as its first byte, so after a mismatch the search goes on at the mismatching byte and not
/// behind it: a byte is looked at twice at most, however dense in line breaks or near misses the bytes are. Of a match
/// that runs over the end of a piece only its length is kept, since its bytes are the delimiter's own.
struct DelimiterScanner: Sendable {
    /// What one piece told.
    struct Step {
        /// The part of the delimiter that an earlier piece ended with and that was content after all.
        var released: Range<Int>
        /// The content in this piece, which follows `released`.
        var content: Range<Int>
        /// How many bytes of the piece are done with.
        var end: Int
        /// Whether the delimiter ends at `end`.
        var isFound: Bool
    }

    /// CR, LF, two dashes and the boundary.
    let delimiter: [UInt8]
    /// How many bytes were looked at, for tests of the running time.
    private(set) var work: UInt64 = 0

    /// How many bytes of the delimiter the last piece ended with.
    private var matched = 0
    /// How many of these were never in the input: the line break that is taken for granted at the start of a line.
    private var assumed = 0

    /// Starts in the middle of a line.
    ///
    /// - Parameter boundary: The boundary's bytes, without CR.
    init(boundary: [UInt8]) {
        self.delimiter = Array("\r\n--".utf8) + boundary
    }

    /// Lets the next piece start as if a line break preceded it.
    mutating func startLine() {
        self.matched = 2
        self.assumed = 2
    }

    /// Looks at the next piece, up to the first delimiter.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) -> Step {
        var position = 0
        var released = 0..<0
        if self.matched > 0 {
            position = self.extendMatch(in: bytes, from: 0)
            if self.matched == self.delimiter.count { return self.found(content: 0..<0, released, end: position) }
            guard position < bytes.count else {
                return Step(released: released, content: 0..<0, end: position, isFound: false)
            }
            released = self.assumed..<self.matched
            (self.matched, self.assumed) = (0, 0)
        }
        let start = position
        while let carriageReturn = self.firstReturn(in: bytes, from: position) {
            position = self.extendMatch(in: bytes, from: carriageReturn)
            if self.matched == self.delimiter.count {
                return self.found(content: start..<carriageReturn, released, end: position)
            }
            if position == bytes.count {
                return Step(released: released, content: start..<carriageReturn, end: position, isFound: false)
            }
            self.matched = 0
        }
        return Step(released: released, content: start..<bytes.count, end: bytes.count, isFound: false)
    }

    private mutating func found(content: Range<Int>, _ released: Range<Int>, end: Int) -> Step {
        (self.matched, self.assumed) = (0, 0)
        return Step(released: released, content: content, end: end, isFound: true)
    }

    /// Goes on with the match as far as the bytes agree, and gives the position after it.
    private mutating func extendMatch(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position < bytes.count, self.matched < self.delimiter.count,
            bytes[position] == self.delimiter[self.matched]
        {
            position += 1
            self.matched += 1
        }
        self.work += UInt64(position - start) + 1
        return position
    }

    private mutating func firstReturn(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress else { return nil }
        guard let hit = memchr(base + start, CInt(UInt8(ascii: "\r")), bytes.count - start) else {
            self.work += UInt64(bytes.count - start)
            return nil
        }
        let position = UnsafeRawPointer(hit) - base
        self.work += UInt64(position - start)
        return position
    }
}
