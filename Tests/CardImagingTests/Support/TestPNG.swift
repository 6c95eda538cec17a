/// Writes PNG files by hand (stored deflate blocks), so that every kind can be made.
struct TestPNG {
    enum ColourType: UInt8 {
        case grey = 0
        case rgb = 2
        case palette = 3
        case greyAlpha = 4
        case rgba = 6

        var channels: Int {
            switch self {
            case .grey, .palette: 1
            case .greyAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }
    }

    var width: Int
    var height: Int
    var depth: Int = 8
    var colour: ColourType = .rgb
    var interlaced = false
    /// Chunks between IHDR and IDAT.
    var extra: [(type: String, body: [UInt8])] = []

    /// The file; `sample` gives the value of a channel in the range of the bit depth.
    func bytes(sample: (_ x: Int, _ y: Int, _ channel: Int) -> Int) -> [UInt8] {
        var raw: [UInt8] = []
        for pass in self.passes where pass.columns(self.width) > 0 && pass.rows(self.height) > 0 {
            for row in 0..<pass.rows(self.height) {
                raw.append(0)  // Filter: none.
                raw += self.packedRow(count: pass.columns(self.width)) { column, channel in
                    sample(pass.x + column * pass.dx, pass.y + row * pass.dy, channel)
                }
            }
        }
        let header =
            bigEndian(self.width, bytes: 4) + bigEndian(self.height, bytes: 4)
            + [UInt8(self.depth), self.colour.rawValue, 0, 0, self.interlaced ? 1 : 0]
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += Self.chunk("IHDR", header)
        for chunk in self.extra { file += Self.chunk(chunk.type, chunk.body) }
        file += Self.chunk("IDAT", Self.zlib(raw))
        return file + Self.chunk("IEND", [])
    }

    static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + body
        return bigEndian(body.count, bytes: 4) + checked + bigEndian(Int(self.crc32(checked)), bytes: 4)
    }

    // MARK: - Adam7

    private struct Pass {
        var x: Int
        var y: Int
        var dx: Int
        var dy: Int

        func columns(_ width: Int) -> Int { (width - self.x + self.dx - 1) / self.dx }
        func rows(_ height: Int) -> Int { (height - self.y + self.dy - 1) / self.dy }
    }

    private var passes: [Pass] {
        guard self.interlaced else { return [Pass(x: 0, y: 0, dx: 1, dy: 1)] }
        return [
            Pass(x: 0, y: 0, dx: 8, dy: 8), Pass(x: 4, y: 0, dx: 8, dy: 8), Pass(x: 0, y: 4, dx: 4, dy: 8),
            Pass(x: 2, y: 0, dx: 4, dy: 4), Pass(x: 0, y: 2, dx: 2, dy: 4), Pass(x: 1, y: 0, dx: 2, dy: 2),
            Pass(x: 0, y: 1, dx: 1, dy: 2),
        ]
    }

    private func packedRow(count: Int, sample: (_ column: Int, _ channel: Int) -> Int) -> [UInt8] {
        var row: [UInt8] = []
        var partial = 0
        var bits = 0
        for column in 0..<count {
            for channel in 0..<self.colour.channels {
                let value = sample(column, channel)
                if self.depth >= 8 {
                    row += bigEndian(value, bytes: self.depth / 8)
                    continue
                }
                partial = partial << self.depth | value
                bits += self.depth
                if bits == 8 {
                    row.append(UInt8(partial))
                    (partial, bits) = (0, 0)
                }
            }
        }
        if bits > 0 { row.append(UInt8(partial << (8 - bits))) }
        return row
    }

    // MARK: - zlib

    static func zlib(_ raw: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var at = 0
        repeat {
            let count = min(65535, raw.count - at)
            let last = at + count == raw.count
            let length = [UInt8(count & 0xFF), UInt8(count >> 8)]
            stream += [last ? 1 : 0] + length + length.map { ~$0 } + raw[at..<at + count]
            at += count
        } while at < raw.count
        var (a, b) = (1, 0)
        for byte in raw {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        return stream + bigEndian(b << 16 | a, bytes: 4)
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { Self.crcTable[Int(($0 ^ UInt32($1)) & 0xFF)] ^ ($0 >> 8) }
    }
}

extension TestPicture {
    /// This picture as 8-bit RGB PNG.
    func png(extra: [(type: String, body: [UInt8])] = [], interlaced: Bool = false) -> [UInt8] {
        TestPNG(width: self.width, height: self.height, interlaced: interlaced, extra: extra).bytes { x, y, channel in
            Int(self.rgb[(y * self.width + x) * 3 + channel])
        }
    }
}
