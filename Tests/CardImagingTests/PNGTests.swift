import CardModel
import Foundation
import Testing

@testable import CardImaging

@Suite struct PNGTests {
    static let picture = TestPicture.photo(width: 37, height: 29)

    private static func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int {
        Int(Self.picture.rgb[(y * Self.picture.width + x) * 3 + channel])
    }

    private func expectSame(_ bytes: [UInt8], within tolerance: Double = 1.5) throws {
        let image = try prepare(bytes)
        let decoded = try TestPicture(decoding: image.jpeg)
        #expect(try #require(decoded.meanDifference(from: Self.picture)) < tolerance)
    }

    @Test(arguments: [false, true]) func `8-bit RGB, plain and interlaced`(interlaced: Bool) throws {
        try self.expectSame(Self.picture.png(interlaced: interlaced))
    }

    @Test func `An interlaced PNG of every small size equals the plain one`() throws {
        for width in 1...9 {
            for height in 1...9 {
                let picture = TestPicture.photo(width: width, height: height)
                #expect(try prepare(picture.png(interlaced: true)).jpeg == prepare(picture.png()).jpeg)
            }
        }
    }

    @Test func `16-bit RGB becomes the nearest 8-bit colours`() throws {
        let png = TestPNG(width: 37, height: 29, depth: 16).bytes { x, y, channel in
            Self.sample(x, y, channel) * 257
        }
        #expect(try prepare(png).jpeg == prepare(Self.picture.png()).jpeg)
    }

    @Test(arguments: [1, 2, 4, 8, 16]) func `Grey of every depth`(depth: Int) throws {
        let most = (1 << depth) - 1
        let png = TestPNG(width: 32, height: 32, depth: depth, colour: .grey).bytes { x, _, _ in x < 16 ? 0 : most }
        try ColourTests.expectPatches(prepare(png).jpeg, equal: [[0, 0, 0], [255, 255, 255]], within: 0)
    }

    @Test(arguments: [1, 2, 4, 8]) func `A palette, with a transparent entry that becomes white`(depth: Int) throws {
        let png = TestPNG(
            width: 32,
            height: 16,
            depth: depth,
            colour: .palette,
            extra: [("PLTE", [10, 20, 200, 250, 10, 10]), ("tRNS", [255, 0])]
        )
        let image = try prepare(png.bytes { x, _, _ in x / 16 })
        try ColourTests.expectPatches(image.jpeg, equal: [[10, 20, 200], [255, 255, 255]], within: 3)
    }

    @Test(arguments: [8, 16]) func `Transparency is flattened on white`(depth: Int) throws {
        let factor = depth == 16 ? 257 : 1
        let alphas = [0, 64, 128, 255]
        let png = TestPNG(width: 64, height: 16, depth: depth, colour: .rgba).bytes { x, _, channel in
            [200, 40, 40, alphas[x / 16]][channel] * factor
        }
        let expected = alphas.map { alpha in
            [200, 40, 40].map { UInt8(($0 * alpha + 255 * (255 - alpha)) / 255) }
        }
        try ColourTests.expectPatches(prepare(png).jpeg, equal: expected, within: 4)
    }

    @Test func `Grey with transparency`() throws {
        let png = TestPNG(width: 32, height: 16, colour: .greyAlpha).bytes { x, _, channel in
            channel == 0 ? 50 : (x < 16 ? 255 : 0)
        }
        try ColourTests.expectPatches(prepare(png).jpeg, equal: [[50, 50, 50], [255, 255, 255]], within: 0)
    }

    @Test func `A file gamma of 1 (linear light) is brought to sRGB's`() throws {
        let flat = TestPicture(width: 16, height: 16) { _, _ in (55, 55, 55) }
        let image = try prepare(flat.png(extra: [("gAMA", bigEndian(100_000, bytes: 4))]))
        let grey = UInt8((pow(55.0 / 255, 1 / 2.2) * 255).rounded())
        try ColourTests.expectPatches(image.jpeg, equal: [[grey, grey, grey]], within: 2)
    }

    @Test(arguments: [false, true]) func `A PNG cut anywhere is refused as truncated`(interlaced: Bool) {
        let file = Self.picture.png(interlaced: interlaced)
        for count in stride(from: 8, to: file.count, by: 7) {
            #expect(refusal(of: Array(file.prefix(count))) == .imageTruncated, "cut at \(count)")
        }
        #expect(refusal(of: Array(file.dropLast())) == .imageTruncated)
    }

    @Test func `Bytes after the end are accepted`() throws {
        try self.expectSame(Self.picture.png() + Array("garbage".utf8))
    }

    @Test func `A changed byte in the pixel data is noticed by its checksum`() {
        var file = Self.picture.png()
        file[file.count / 2] ^= 0x10
        #expect(refusal(of: file) == .imageCorrupt)
    }

    @Test func `Pixel data that ends early inside valid chunks is refused`() {
        let header = bigEndian(37, bytes: 4) + bigEndian(29, bytes: 4) + [8, 2, 0, 0, 0]
        let half = [UInt8](repeating: 0, count: (1 + 37 * 3) * 14)
        let file =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + TestPNG.chunk("IHDR", header)
            + TestPNG.chunk("IDAT", TestPNG.zlib(half)) + TestPNG.chunk("IEND", [])
        #expect(refusal(of: file) == .imageCorrupt)
    }

    // MARK: - Text chunks

    /// A zlib stream of `count` times the letter a, written by hand: one literal, then matches of 258 bytes at distance
    /// 1 in fixed Huffman codes (RFC 1951 section 3.2.6).
    private static func inflating(to count: Int) -> [UInt8] {
        var bits: [Bool] = [true, true, false]  // Last block, fixed codes.
        func code(_ value: Int, _ length: Int) { bits += (0..<length).reversed().map { value >> $0 & 1 == 1 } }
        code(0x30 + 0x61, 8)
        for _ in 0..<(count - 1) / 258 {
            code(0b1100_0101, 8)
            code(0, 5)
        }
        code(0, 7)
        bits += [Bool](repeating: false, count: (8 - bits.count % 8) % 8)
        let stream = stride(from: 0, to: bits.count, by: 8).map { at in
            (0..<8).reduce(UInt8(0)) { $0 | (bits[at + $1] ? 1 << UInt8($1) : 0) }
        }
        let length = 1 + (count - 1) / 258 * 258
        let a = (1 + length * 0x61) % 65521
        let b = (length + length * (length + 1) / 2 % 65521 * 0x61) % 65521
        return [0x78, 0x9C] + stream + [UInt8(b >> 8), UInt8(b & 0xFF), UInt8(a >> 8), UInt8(a & 0xFF)]
    }

    @Test func `Text that inflates to 480 MB is skipped: the picture is read, in little memory`() async {
        await #expect(processExitsWith: .success) {
            let text = Array("k\0\0".utf8) + Self.inflating(to: 4_000_000)
            let chunks = (0..<120).map { _ in (type: "zTXt", body: text) }
            #expect(try prepare(Self.picture.png(extra: chunks)).width == Self.picture.width)
            // Not `getrusage`, whose peak begins with that of the process this one was made from.
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let peak = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let kibibytes = try #require(peak.split(separator: " ").dropLast().last.flatMap { Int($0) })
            #expect(kibibytes < 200 * 1024, "peak of \(kibibytes) KiB")
        }
    }
}
