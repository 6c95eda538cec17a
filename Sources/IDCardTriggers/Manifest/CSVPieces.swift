import Foundation

/// Cuts a manifest in CSV between two records, into pieces that are read one after the other.
///
/// A record ends at a line break outside of quotes; a quote inside of quotes is doubled, so that counting quotes tells
/// which line breaks those are.
struct CSVPieces: Sequence, IteratorProtocol {
    /// Some records.
    struct Piece: Hashable {
        /// Where they are, counted in bytes from the start.
        var range: Range<Int>
        /// Whether it is one record that is longer than allowed.
        var isTooLong: Bool
    }

    private let data: Data
    private let limit: Int
    private var start = 0

    /// Takes the manifest, and the largest record in bytes, which a piece has at most, too.
    init(of data: Data, limit: Int) {
        self.data = data
        self.limit = limit
    }

    mutating func next() -> Piece? {
        let (start, limit) = (self.start, self.limit)
        guard start < self.data.count else { return nil }
        let end = self.data.withUnsafeBytes { Self.end(of: $0, from: start, limit: limit) }
        self.start = end
        return Piece(range: start..<end, isTooLong: end - start > limit)
    }

    /// Where the last record ends that fits; that of the first one if not even that does.
    private static func end(of bytes: UnsafeRawBufferPointer, from start: Int, limit: Int) -> Int {
        var end = start
        var isQuoted = false
        for index in start..<bytes.count {
            // Without any line break there is nothing else to be found.
            if index - start > limit, end > start { return end }
            if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard !isQuoted, Self.isBreak(bytes, at: index) else { continue }
            if index + 1 - start > limit { return end > start ? end : index + 1 }
            end = index + 1
        }
        return bytes.count - start > limit && end > start ? end : bytes.count
    }

    /// Whether a line ends with a byte: LF, or CR alone.
    private static func isBreak(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Bool {
        if bytes[index] == UInt8(ascii: "\n") { return true }
        guard bytes[index] == UInt8(ascii: "\r") else { return false }
        return index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n")
    }
}
