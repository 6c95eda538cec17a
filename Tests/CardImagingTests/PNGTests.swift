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
        let decoded = try TestPicture(decoding: try prepare(png).jpeg)
        #expect(decoded[4, 4] == (0, 0, 0))
        #expect(decoded[28, 28] == (255, 255, 255))
    }

    @Test(arguments: [1, 2, 4, 8]) func `A palette, with a transparent entry that becomes white`(depth: Int) throws {
        let png = TestPNG(
            width: 32,
            height: 16,
            depth: depth,
            colour: .palette,
            extra: [("PLTE", [10, 20, 200, 250, 10, 10]), ("tRNS", [255, 0])]
        )
        let decoded = try TestPicture(decoding: try prepare(png.bytes { x, _, _ in x / 16 }).jpeg)
        let (red, green, blue) = decoded[4, 8]
        #expect(abs(Int(red) - 10) <= 3 && abs(Int(green) - 20) <= 3 && abs(Int(blue) - 200) <= 3)
        #expect(decoded[28, 8] == (255, 255, 255))
    }

    @Test(arguments: [8, 16]) func `Transparency is flattened on white`(depth: Int) throws {
        let factor = depth == 16 ? 257 : 1
        let alphas = [0, 64, 128, 255]
        let png = TestPNG(width: 64, height: 16, depth: depth, colour: .rgba).bytes { x, _, channel in
            [200, 40, 40, alphas[x / 16]][channel] * factor
        }
        let decoded = try TestPicture(decoding: try prepare(png).jpeg)
        for (index, alpha) in alphas.enumerated() {
            let expected = [200, 40, 40].map { ($0 * alpha + 255 * (255 - alpha)) / 255 }
            let (red, green, blue) = decoded[index * 16 + 8, 8]
            let differences = zip([red, green, blue], expected).map { abs(Int($0) - $1) }
            #expect(differences.allSatisfy { $0 <= 4 }, "alpha \(alpha): \(red) \(green) \(blue), not \(expected)")
        }
    }

    @Test func `Grey with transparency`() throws {
        let png = TestPNG(width: 32, height: 16, colour: .greyAlpha).bytes { x, _, channel in
            channel == 0 ? 50 : (x < 16 ? 255 : 0)
        }
        let decoded = try TestPicture(decoding: try prepare(png).jpeg)
        #expect(decoded[8, 8] == (50, 50, 50))
        #expect(decoded[24, 8] == (255, 255, 255))
    }

    @Test func `A file gamma of 1 (linear light) is brought to sRGB's`() throws {
        let flat = TestPicture(width: 16, height: 16) { _, _ in (55, 55, 55) }
        let image = try prepare(flat.png(extra: [("gAMA", bigEndian(100_000, bytes: 4))]))
        let expected = Int((pow(55.0 / 255, 1 / 2.2) * 255).rounded())
        let (red, _, _) = try TestPicture(decoding: image.jpeg)[8, 8]
        #expect(abs(Int(red) - expected) <= 2)
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
}
