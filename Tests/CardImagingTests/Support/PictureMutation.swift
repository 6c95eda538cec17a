import TestSupport

/// Turns pictures into hostile ones: damage by chance, and lies that a decoder may believe.
struct PictureMutation {
    private var random: SeededRandom
    private let originals: [[UInt8]]

    /// Takes the seed of everything that is drawn, and pictures to begin with.
    init(seed: UInt64, of originals: [[UInt8]]) {
        self.random = SeededRandom(seed: seed)
        self.originals = originals
    }

    mutating func next() -> [UInt8] {
        var bytes = self.originals[self.below(self.originals.count)]
        for _ in 0...self.below(3) { bytes = self.mutate(bytes) }
        return bytes
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(bound, 1), using: &self.random) }

    private mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > 32 else { return bytes }
        switch self.below(10) {
        case 0: return self.flippingBits(bytes)
        case 1: return Array(bytes.prefix(self.below(bytes.count)))
        case 2: return self.lyingAboutSize(bytes)
        case 3: return self.lyingAnywhere(bytes)
        case 4: return self.repeatingScans(bytes)
        case 5: return self.withHostileExif(bytes)
        case 6: return self.splicing(bytes)
        case 7: return self.repeatingPiece(bytes)
        case 8: return self.fillingPiece(bytes)
        default: return self.lyingAboutLengths(bytes)
        }
    }

    private mutating func flippingBits(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0...self.below(24) { bytes[self.below(bytes.count)] ^= 1 << UInt8(self.below(8)) }
        return bytes
    }

    /// Headers are where lies pay: most of the bytes that matter are among the first.
    private mutating func lyingAnywhere(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0...self.below(6) {
            bytes[self.below(min(bytes.count, 700))] = [0, 1, 0x7F, 0x80, 0xFF, UInt8(self.below(256))][self.below(6)]
        }
        return bytes
    }

    private mutating func lyingAboutSize(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        let sizes = [0, 1, 7, 8, 255, 4096, 16_384, 65_499, 65_500, 65_535]
        let (first, second) = (sizes[self.below(sizes.count)], sizes[self.below(sizes.count)])
        if bytes.starts(with: [0x89, 0x50]) {
            let header = bigEndian(first, bytes: 4) + bigEndian(second, bytes: 4) + Array(bytes[24..<29])
            return Array(bytes[..<8]) + TestPNG.chunk("IHDR", header) + Array(bytes[33...])
        }
        let frames: [UInt8] = [0xC0, 0xC1, 0xC2, 0xC9, 0xCA]
        guard let frame = frames.lazy.compactMap({ bytes.offset(ofMarker: $0) }).first, frame + 12 < bytes.count else {
            return bytes
        }
        bytes.replaceSubrange(frame + 5..<frame + 9, with: bigEndian(first, bytes: 2) + bigEndian(second, bytes: 2))
        if self.below(3) == 0 { bytes[frame + 11] = UInt8(self.below(256)) }
        return bytes
    }

    /// The length of a segment or chunk says another size than there is.
    private mutating func lyingAboutLengths(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        let starts = bytes.indices.dropLast(4).filter { bytes[$0] == 0xFF && bytes[$0 + 1] >= 0xC0 }
        guard let start = starts.isEmpty ? nil : starts[self.below(starts.count)] else { return bytes }
        let length = [0, 1, 2, 3, 8, 0x7FFF, 0xFFFF][self.below(7)]
        bytes.replaceSubrange(start + 2..<start + 4, with: bigEndian(length, bytes: 2))
        return bytes
    }

    /// Thousands of scans over the same few bytes, each of which walks over every block.
    private mutating func repeatingScans(_ original: [UInt8]) -> [UInt8] {
        guard let start = original.offset(ofMarker: 0xDA) else { return original }
        let end = original.indices[(start + 2)...].dropLast().first {
            original[$0] == 0xFF && original[$0 + 1] != 0 && !(0xD0...0xD7).contains(original[$0 + 1])
        }
        guard let end else { return original }
        let scan = Array(original[start..<end])
        let count = min(1 + self.below(3000), max(1, (1 << 20) / scan.count))
        return Array(original[..<end]) + Self.repeating(scan[...], count: count) + Array(original[end...])
    }

    /// Directories that name themselves, or point anywhere, in a block that may end in the middle.
    private mutating func withHostileExif(_ original: [UInt8]) -> [UInt8] {
        guard original.starts(with: [0xFF, 0xD8]) else { return original }
        let tags = [0x0112, 0x8769, 0x8825, 0xA005, 0x014A, 0x0201]
        var block = Array("MM".utf8) + bigEndian(42, bytes: 2) + bigEndian(8, bytes: 4)
        let entries = self.below(12)
        block += bigEndian(self.below(4) == 0 ? 0xFFFF : entries, bytes: 2)
        for _ in 0..<entries {
            let offset = [8, 0, 10, 0xFFFF_FFFF, self.below(1 << 16)][self.below(5)]
            block += bigEndian(tags[self.below(tags.count)], bytes: 2) + bigEndian(self.below(16), bytes: 2)
            block += bigEndian([1, 0xFFFF_FFFF, self.below(1 << 20)][self.below(3)], bytes: 4)
            block += bigEndian(offset, bytes: 4)
        }
        block += bigEndian([8, 0, 0xFFFF_FFF0][self.below(3)], bytes: 4)
        let cut = self.below(4) == 0 ? self.below(block.count) : block.count
        return original.insertingSegment(0xE1, Array("Exif\0\0".utf8) + block.prefix(cut))
    }

    private mutating func splicing(_ original: [UInt8]) -> [UInt8] {
        let other = self.originals[self.below(self.originals.count)]
        return Array(original.prefix(self.below(original.count))) + Array(other.dropFirst(self.below(other.count)))
    }

    private mutating func repeatingPiece(_ original: [UInt8]) -> [UInt8] {
        let start = self.below(original.count)
        let piece = original[start..<min(original.count, start + 1 + self.below(64))]
        let copies = Self.repeating(piece, count: 1 + self.below(200))
        return Array(original[..<start]) + copies + Array(original[start...])
    }

    /// Without optimization `joined()` takes a microsecond a byte, minutes for all these pictures.
    private static func repeating(_ piece: ArraySlice<UInt8>, count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes += piece }
        return bytes
    }

    private mutating func fillingPiece(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        let start = self.below(bytes.count)
        let end = min(bytes.count, start + 1 + self.below(400))
        let value = [UInt8(0), 0xFF, UInt8(self.below(256))][self.below(3)]
        for index in start..<end { bytes[index] = value }
        return bytes
    }
}
