/// A ZIP archive (PKWARE APPNOTE 6.3) that is written piece by piece to a stream.
///
/// Nothing is compressed: the bytes stand in stored blocks of Deflate (RFC 1951 section 3.2.4), because only such an entry may
/// tell its size behind its bytes. LibreOffice refuses that of an entry with the method "stored".
struct ZipWriter {
    /// The bytes that were not drained yet.
    private(set) var output: [UInt8] = []
    private var drained = 0
    private var entries: [(name: String, start: Int, crc: UInt32, packed: Int, size: Int)] = []

    /// The bytes of the archive so far. Positions have 32 bits.
    var count: Int { self.drained + self.output.count }

    mutating func drain() -> [UInt8] {
        defer { self.output = [] }
        self.drained += self.output.count
        return self.output
    }

    /// Begins an entry, after the end of the one before.
    mutating func begin(_ name: String) {
        self.entries.append((name, self.count, ~0, 0, 0))
        self.output += Self.little(0x0403_4B50, 4) + Self.attributes + Self.little(0, 12)
        self.output += Self.little(name.utf8.count, 2) + Self.little(0, 2) + Array(name.utf8)
    }

    mutating func write(_ bytes: [UInt8]) {
        let last = self.entries.count - 1
        self.entries[last].crc = bytes.reduce(self.entries[last].crc) {
            Self.crc[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8
        }
        for start in stride(from: 0, to: bytes.count, by: 0xFFFF) {
            self.writeBlock(bytes[start..<min(start + 0xFFFF, bytes.count)], isLast: false)
        }
    }

    /// Ends the entry, with its checksum and sizes.
    mutating func finishEntry() {
        self.writeBlock([], isLast: true)
        self.output += Self.little(0x0807_4B50, 4) + Self.sums(self.entries[self.entries.count - 1])
    }

    /// Ends the archive with its directory.
    mutating func finish() {
        let start = self.count
        for entry in self.entries {
            self.output += Self.little(0x0201_4B50, 4) + Self.little(20, 2) + Self.attributes + Self.sums(entry)
            self.output += Self.little(entry.name.utf8.count, 2) + Self.little(0, 12) + Self.little(entry.start, 4)
            self.output += Array(entry.name.utf8)
        }
        let size = self.count - start
        self.output += Self.little(0x0605_4B50, 4) + Self.little(0, 4) + Self.little(self.entries.count, 2)
        self.output +=
            Self.little(self.entries.count, 2) + Self.little(size, 4) + Self.little(start, 4) + Self.little(0, 2)
    }

    private mutating func writeBlock(_ bytes: ArraySlice<UInt8>, isLast: Bool) {
        self.output.append(isLast ? 1 : 0)
        self.output += Self.little(bytes.count, 2)
        self.output += Self.little(~bytes.count, 2)
        self.output += bytes
        self.entries[self.entries.count - 1].packed += bytes.count + 5
        self.entries[self.entries.count - 1].size += bytes.count
    }

    /// Version 2.0, sums behind the bytes, Deflate, 1980-01-01.
    private static let attributes = [20, 8, 8, 0, 0x21].flatMap { Self.little($0, 2) }

    private static func sums(_ entry: (name: String, start: Int, crc: UInt32, packed: Int, size: Int)) -> [UInt8] {
        Self.little(Int(~entry.crc), 4) + Self.little(entry.packed, 4) + Self.little(entry.size, 4)
    }

    private static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> (8 * $0)) : 0 }
    }

    /// CRC-32 of each byte.
    private static let crc = (0..<256).map {
        (0..<8).reduce(UInt32($0)) { sum, _ in sum >> 1 ^ (sum & 1) * 0xEDB8_8320 }
    }
}
