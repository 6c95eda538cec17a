import Testing

func bigEndian(_ value: Int, bytes count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

extension [UInt8] {
    /// This JPEG with a marker segment right after SOI.
    func insertingSegment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        Array(self[..<2]) + [0xFF, marker] + bigEndian(body.count + 2, bytes: 2) + body + Array(self[2...])
    }

    /// A grey baseline JPEG of one MCU in each row, with three samples of luma for two of Cb, which libjpeg does not write:
    /// it has as many blocks as 4:1:1, and all of them are the same two bits.
    static func sampledByThreeToTwo() throws -> [UInt8] {
        let grey = TestPicture(width: 24, height: 80) { _, _ in (128, 128, 128) }
        var bytes = try grey.jpeg(sampling: .quarter411, hasOwnTables: true)
        let frame = try #require((0..<bytes.count).first { bytes[$0...].starts(with: [0xFF, 0xC0]) })
        (bytes[frame + 11], bytes[frame + 14]) = (0x31, 0x21)
        return bytes
    }

    /// This JPEG with an Exif segment that holds only an orientation.
    func withOrientation(_ orientation: Int, littleEndian: Bool = false) -> [UInt8] {
        let tiff = exifBlock(orientation: orientation, littleEndian: littleEndian)
        return self.insertingSegment(0xE1, Array("Exif\0\0".utf8) + tiff)
    }

    func offset(ofMarker marker: UInt8) -> Int? {
        var at = 2
        while at + 3 < self.count, self[at] == 0xFF {
            if self[at + 1] == marker { return at }
            at += 2 + Int(self[at + 2]) << 8 + Int(self[at + 3])
        }
        return nil
    }

    /// Where the entropy-coded data of the first scan begins.
    var scanDataOffset: Int? {
        self.offset(ofMarker: 0xDA).map { $0 + 2 + Int(self[$0 + 2]) << 8 + Int(self[$0 + 3]) }
    }

    /// The markers of all segments before the first scan.
    var markersBeforeScan: [UInt8] {
        var markers: [UInt8] = []
        var at = 2
        while at + 3 < self.count, self[at] == 0xFF, self[at + 1] != 0xDA {
            markers.append(self[at + 1])
            at += 2 + Int(self[at + 2]) << 8 + Int(self[at + 3])
        }
        return markers
    }
}

/// A TIFF block whose one directory holds one orientation entry.
func exifBlock(orientation: Int, littleEndian: Bool = false) -> [UInt8] {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        littleEndian ? bigEndian(value, bytes: bytes).reversed() : bigEndian(value, bytes: bytes)
    }
    let head = Array((littleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
    let entry = number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + number(0, 2)
    return head + number(1, 2) + entry + number(0, 4)
}

/// The body of a text chunk that holds an Exif block as older programs write it.
func rawProfile(_ tiff: [UInt8], in chunk: String = "tEXt", name: String = "exif") -> [UInt8] {
    let block = Array("Exif\0\0".utf8) + tiff
    let digits = block.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    let lines = stride(from: 0, to: digits.count, by: 36).map { digits[$0..<min($0 + 36, digits.count)].joined() }
    let text = Array("\n\(name)\n    \(block.count)\n\(lines.joined(separator: "\n"))\n".utf8)
    let key = Array("Raw profile type \(name)\0".utf8)
    switch chunk {
    case "zTXt": return key + [0] + TestPNG.zlib(text)
    case "iTXt": return key + [1, 0, 0, 0] + TestPNG.zlib(text)
    default: return key + text
    }
}
