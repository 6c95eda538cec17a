/// A ZIP archive (PKWARE APPNOTE 6.3) that is written piece by piece to a stream.
///
/// Nothing is compressed, but the bytes stand in stored blocks of Deflate (RFC 1951 section 3.2.4): their end can be found by
/// reading, so that their size may stand behind them, as a pipe needs it.
struct ZipWriter {
    private typealias Entry = (name: String, start: Int, crc: UInt32, packed: Int, size: Int)

    private var output: [UInt8] = []
    private var drained = 0
    private var entries: [Entry] = []
    private var entry: Entry = ("", 0, 0, 0, 0)

    /// The length of the archive so far; at most 32 bits.
    var count: Int { self.drained + self.output.count }

    /// Removes and returns the bytes so far.
    mutating func drain() -> [UInt8] {
        defer { self.output = [] }
        self.drained += self.output.count
        return self.output
    }

    /// Begins an entry, after the end of the one before.
    mutating func begin(_ name: String) {
        self.entry = (name, self.count, ~0, 0, 0)
        self.append([(0x0403_4B50, 4)] + Self.attributes + [(0, 4), (0, 4), (0, 4), (name.utf8.count, 2), (0, 2)])
        self.output += Array(name.utf8)
    }

    mutating func write(_ text: String) {
        let bytes = Array(text.utf8)
        self.entry.crc = bytes.reduce(self.entry.crc) { Self.crc[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
        for start in stride(from: 0, to: bytes.count, by: 0xFFFF) {
            let block = bytes[start..<min(start + 0xFFFF, bytes.count)]
            self.append([(0, 1), (block.count, 2), (~block.count, 2)])
            self.output += block
            self.entry.packed += block.count + 5
        }
        self.entry.size += bytes.count
    }

    /// Ends the entry with an empty block, its checksum and its sizes.
    mutating func finishEntry() {
        self.entry.packed += 5
        self.append([(1, 1), (0, 2), (0xFFFF, 2), (0x0807_4B50, 4)] + Self.sums(self.entry))
        self.entries.append(self.entry)
    }

    /// Ends the archive with its directory.
    mutating func finish() {
        let (start, number) = (self.count, self.entries.count)
        for entry in self.entries {
            self.append(
                [(0x0201_4B50, 4), (20, 2)] + Self.attributes + Self.sums(entry) + [(entry.name.utf8.count, 2)]
            )
            self.append([(0, 4), (0, 4), (0, 4), (entry.start, 4)])
            self.output += Array(entry.name.utf8)
        }
        self.append([(0x0605_4B50, 4), (0, 4), (number, 2), (number, 2), (self.count - start, 4), (start, 4), (0, 2)])
    }

    /// Appends numbers of some bytes each, the lowest byte first.
    private mutating func append(_ fields: [(number: Int, bytes: Int)]) {
        for field in fields {
            for byte in 0..<field.bytes { self.output.append(UInt8(truncatingIfNeeded: field.number >> (8 * byte))) }
        }
    }

    /// Version 2.0, sums behind the bytes, Deflate, 1980-01-01.
    private static let attributes = [(20, 2), (8, 2), (8, 2), (0, 2), (0x21, 2)]

    private static func sums(_ entry: Entry) -> [(Int, Int)] {
        [(Int(~entry.crc), 4), (entry.packed, 4), (entry.size, 4)]
    }

    /// CRC-32 of each byte.
    private static let crc = (0..<256).map {
        (0..<8).reduce(UInt32($0)) { sum, _ in sum >> 1 ^ (sum & 1) * 0xEDB8_8320 }
    }
}
