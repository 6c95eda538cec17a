import CImaging
import CLibJPEG
import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardImaging

@Suite struct ColourTests {
    @Test(arguments: ["front", "back"])
    func `CMYK and YCCK with inverted inks come out in the colours of the other cards`(side: String) throws {
        func mean(_ folder: String) throws -> [Int] {
            let source = try Fixture.content("accepted-oddities/\(folder)/\(side).jpg")
            let picture = try TestPicture(decoding: try ImageRecompressor(settings: gentle).prepare(source).jpeg)
            return (0..<3).map { channel in
                stride(from: channel, to: picture.rgb.count, by: 3).reduce(0) { $0 + Int(picture.rgb[$1]) }
                    * 3 / picture.rgb.count
            }
        }
        let (inks, plain) = (try mean("ODD-2026-0001"), try mean("ODD-2026-0008"))
        #expect(zip(inks, plain).allSatisfy { abs($0 - $1) <= 12 }, "\(inks), not about \(plain)")
        #expect(plain.allSatisfy { $0 > 150 })
    }

    @Test(arguments: [false, true]) func `Grey comes out grey, in three components`(progressive: Bool) throws {
        let picture = TestPicture(width: 96, height: 64) { x, _ in (UInt8(x * 2), UInt8(x * 2), UInt8(x * 2)) }
        let image = try prepare(try picture.jpeg(progressive: progressive, space: JCS_GRAYSCALE))
        #expect(try jpegHeader(of: image.jpeg).components == 3)
        #expect(try #require(TestPicture(decoding: image.jpeg).largestDifference(from: picture)) <= 4)
    }

    @Test(arguments: TestPicture.Sampling.allCases, [false, true])
    func `Any sampling, progressive too, becomes 4:2:0`(sampling: TestPicture.Sampling, progressive: Bool) throws {
        let picture = TestPicture.photo(width: 160, height: 112)
        let image = try prepare(try picture.jpeg(sampling: sampling, progressive: progressive))
        let header = try jpegHeader(of: image.jpeg)
        #expect(header.baseline && header.requantizable)
        #expect(try #require(TestPicture(decoding: image.jpeg).meanDifference(from: picture)) < 2)
    }

    // MARK: - Profiles

    static let colours: [[UInt8]] = [
        [255, 255, 255], [0, 0, 0], [128, 128, 128], [100, 180, 90], [200, 60, 50], [60, 80, 200], [230, 200, 160],
    ]

    static func patches(_ colours: [[UInt8]]) -> TestPicture {
        TestPicture(width: colours.count * 16, height: 16) { x, _ in
            let colour = colours[x / 16]
            return (colour[0], colour[1], colour[2])
        }
    }

    static func expectPatches(_ jpeg: Data, equal expected: [[UInt8]], within tolerance: Int) throws {
        let decoded = try TestPicture(decoding: jpeg)
        for (index, colour) in expected.enumerated() {
            let samples = decoded.samples(index * 16 + 8, 8)
            let differences = zip(samples, colour).map { abs(Int($0) - Int($1)) }
            #expect(differences.allSatisfy { $0 <= tolerance }, "patch \(index): \(samples), not \(colour)")
        }
    }

    /// Display P3 to sRGB through linear light, with the published matrix (both D65).
    static func sRGB(fromDisplayP3 colour: [UInt8]) -> [UInt8] {
        let linear = colour.map { value in
            let x = Double(value) / 255
            return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
        }
        let matrix = [[1.2249, -0.2247, 0], [-0.0420, 1.0419, 0], [-0.0197, -0.0786, 1.0979]]
        return matrix.map { row in
            let y = min(1, max(0, row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2]))
            return UInt8(((y <= 0.0031308 ? 12.92 * y : 1.055 * pow(y, 1 / 2.4) - 0.055) * 255).rounded())
        }
    }

    @Test(arguments: [false, true])
    func `A Display P3 picture is converted to sRGB and its profile dropped`(asPNG: Bool) throws {
        let picture = Self.patches(Self.colours)
        let profileChunk = Array("p3\0\0".utf8) + TestPNG.zlib(TestProfile.displayP3)
        let source = asPNG ? picture.png(extra: [("iCCP", profileChunk)]) : try picture.jpeg(icc: TestProfile.displayP3)
        let image = try prepare(source)
        #expect(try jpegHeader(of: image.jpeg).icc_bytes == 0)
        try Self.expectPatches(image.jpeg, equal: Self.colours.map(Self.sRGB(fromDisplayP3:)), within: 5)
    }

    @Test(arguments: [(1, 1), (63, 2), (64, 64), (65, 33), (131, 37)])
    func `Every pixel is converted once, to the last odd row and column`(width: Int, height: Int) throws {
        let colour: [UInt8] = [200, 60, 50]
        let picture = TestPicture(width: width, height: height) { _, _ in (colour[0], colour[1], colour[2]) }
        let image = try prepare(try picture.jpeg(icc: TestProfile.displayP3))
        let expected = Self.sRGB(fromDisplayP3: colour)
        let converted = TestPicture(width: width, height: height) { _, _ in (expected[0], expected[1], expected[2]) }
        #expect(try #require(TestPicture(decoding: image.jpeg).largestDifference(from: converted)) <= 5)
    }

    @Test func `An sRGB profile changes nothing: the bytes are those of the picture without profile`() throws {
        let picture = Self.patches(Self.colours)
        let plain = try prepare(try picture.jpeg())
        #expect(try prepare(try picture.jpeg(icc: TestProfile.sRGB)).jpeg == plain.jpeg)
    }

    @Test func `Gamma, table and linear curves are applied`() throws {
        // x² in the profile, on sRGB's colourants: grey 128 is (128/255)² of linear light.
        let linear: Double = pow(128.0 / 255.0, 2.0)
        let encoded: Double = 1.055 * pow(linear, 1 / 2.4) - 0.055
        let expected = UInt8((encoded * 255).rounded())
        let picture = Self.patches([[128, 128, 128], [255, 255, 255], [0, 0, 0]])
        for curve in [TestProfile.gammaCurve(2), TestProfile.squareCurve(entries: 1024)] {
            let profile = TestProfile.matrix(TestProfile.sRGBColourants, curve: curve)
            let image = try prepare(try picture.jpeg(icc: profile))
            try Self.expectPatches(
                image.jpeg,
                equal: [[expected, expected, expected], [255, 255, 255], [0, 0, 0]],
                within: 3
            )
        }
    }

    @Test func `A profile of tables is kept in the output, within the byte budget`() throws {
        let picture = Self.patches(Self.colours)
        let image = try prepare(try picture.jpeg(icc: TestProfile.tables))
        let output = Array(image.jpeg)
        var kept = [UInt8](repeating: 0, count: TestProfile.tables.count)
        #expect(idci_jpeg_copy_icc(output, output.count, &kept, kept.count))
        #expect(kept == TestProfile.tables)
        try Self.expectPatches(image.jpeg, equal: Self.colours, within: 5)
    }

    @Test func `Profiles of another colour space, and bytes that are no profile, are dropped`() throws {
        let picture = Self.patches(Self.colours)
        let plain = try prepare(try picture.jpeg())
        let cmyk = TestProfile.matrix(TestProfile.displayP3Colourants, curve: TestProfile.sRGBCurve, space: "CMYK")
        for profile in [cmyk, [1, 2, 3], [UInt8](repeating: 0xFF, count: 500)] {
            #expect(try prepare(try picture.jpeg(icc: profile)).jpeg == plain.jpeg)
        }
    }

    @Test func `Damaged profiles never crash: every cut, and 2,000 seeded changes`() throws {
        let picture = TestPicture.mosaic(columns: 1, rows: 1)
        let profile = TestProfile.displayP3
        var random = SeededRandom(seed: 77)
        for count in stride(from: 1, to: profile.count, by: 3) {
            #expect(try prepare(try picture.jpeg(icc: Array(profile.prefix(count)))).width == 16)
        }
        for _ in 0..<2000 {
            var changed = profile
            for _ in 0..<4 {
                changed[Int.random(in: 0..<changed.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            #expect(try prepare(try picture.jpeg(icc: changed)).width == 16)
        }
    }
}
