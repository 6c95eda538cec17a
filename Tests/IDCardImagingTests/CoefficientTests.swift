import CJPEG
import Foundation
import Testing

@testable import IDCardImaging

/// The path that never makes pixels, against those that do.
struct CoefficientTests {
    /// Decibels below which the two paths differ in more than the rounding to pixels that only one of them does.
    static let leastRatio = 40.0

    static func waves(_ width: Int, _ height: Int) -> TestPicture { PlaneTests.waves(width: width, height: height) }

    /// Whether a picture takes this path.
    static func staysCoefficients(_ source: [UInt8], limits: ImagingLimits = ImagingLimits()) throws -> Bool {
        try source.withUnsafeBufferPointer { try JPEGSource($0, limits: limits).canStayCoefficients }
    }

    /// A picture over planes, decoded; turned or not, it never stays coefficients there.
    static func overPlanes(_ source: [UInt8], quality: Int) throws -> TestPicture {
        try source.withUnsafeBufferPointer { bytes in
            let jpeg = try JPEGSource(bytes, limits: ImagingLimits())
            let planes = try JPEGPlanes()
            try planes.decode(jpeg, plan: DecodePlan.jpeg(jpeg.size, maximumEdge: 65_500))
            let encoding = JPEGEncoder.Encoding(quality: quality, profile: [], byteCeiling: .max / 2)
            return try TestPicture(decoding: try #require(try planes.encode(encoding)))
        }
    }

    @Test("Coefficients come out as pixels would, under every orientation and at every quality", arguments: 1...8)
    func agrees(orientation: Int) throws {
        for (width, height) in [(256, 192), (16, 16), (16, 320), (320, 16), (48, 80)] {
            for quality in [100, 75, 50, 20] {
                let source = try Self.waves(width, height).stored(orientation: orientation)
                    .jpeg(quality: 90, subsampled: true).withOrientation(orientation)
                #expect(try Self.staysCoefficients(source))
                let settings = RecompressionSettings(quality: Double(quality) / 100)
                let image = try recompress(source, settings)
                #expect(image.width == width && image.height == height && image.libjpegQuality == quality)
                let ratio = try #require(
                    try TestPicture(decoding: image.jpeg).signalToNoise(
                        against: try Self.overPlanes(source, quality: quality)
                    )
                )
                #expect(ratio >= Self.leastRatio, "\(width)×\(height) at \(quality): \(ratio) dB")
            }
        }
    }

    @Test("At the quality it was made with, a picture keeps every coefficient through any turn", arguments: 1...8)
    func losesNothing(orientation: Int) throws {
        let stored = TestPicture.noise(width: 64, height: 48, seed: 7).stored(orientation: orientation)
        // Other tables than of quality 100 are not the same for rows and columns: a quarter turn rounds anew.
        for quality in orientation >= 5 ? [100] : [100, 60] {
            let settings = RecompressionSettings(quality: Double(quality) / 100)
            let source = try stored.jpeg(quality: Int32(quality), subsampled: true)
            let upright = Array(try recompress(source.withOrientation(orientation), settings).jpeg)
            // Of the turns only those by a quarter are not their own opposite.
            let opposite = [6: 8, 8: 6][orientation] ?? orientation
            let back = try recompress(upright.withOrientation(opposite), settings)
            #expect(back.jpeg == (try recompress(source, settings)).jpeg, "at \(quality)")
        }
    }

    @Test("A picture stored coarser than it becomes keeps every coefficient, too", arguments: [1, 3, 6])
    func losesNothingCoarser(orientation: Int) throws {
        let source = try TestPicture.noise(width: 64, height: 48, seed: 9).jpeg(quality: 15, subsampled: true)
        let turned = Array(try recompress(source.withOrientation(orientation)).jpeg)
        let opposite = [6: 8][orientation] ?? orientation
        let back = try TestPicture(decoding: try recompress(turned.withOrientation(opposite)).jpeg)
        #expect(back == (try TestPicture(decoding: Data(source))))
    }

    @Test("Blocks that reach beyond an edge, other samplings and several scans leave it to the other paths")
    func leavesOthers() throws {
        for (width, height) in [(255, 192), (256, 191), (248, 192), (1, 1), (17, 16)] {
            #expect(try !Self.staysCoefficients(try Self.waves(width, height).jpeg(subsampled: true)))
        }
        let picture = Self.waves(64, 48)
        #expect(try !Self.staysCoefficients(try picture.jpeg()))
        #expect(try !Self.staysCoefficients(try picture.jpeg(grey: true)))
        #expect(try !Self.staysCoefficients(try picture.jpeg(subsampled: true, progressive: true)))
    }

    @Test("Where memory is short a turn takes the path over planes, which needs less")
    func minds() throws {
        let source = try Self.waves(1600, 1200).jpeg(subsampled: true)
        let limits = ImagingLimits(maximumDecodeMemoryBytes: 5 << 20)
        for orientation in 1...8 {
            let turned = source.withOrientation(orientation)
            #expect(try Self.staysCoefficients(turned, limits: limits) == (orientation <= 2))
            #expect(try Self.staysCoefficients(turned))
            #expect(refusal(of: turned, RecompressionSettings(quality: 0.5), limits: limits) == nil)
        }
    }

    @Test("Coefficients no picture has are brought into what can be written", arguments: [1, 6, 3])
    func hostileTables(orientation: Int) throws {
        var source = try TestPicture.noise(width: 64, height: 64, seed: 3).jpeg(quality: 100, subsampled: true)
        // Every quantisation step becomes 255: what was one is two hundred and fifty-five times as much.
        for start in source.indices.dropLast(68) where source[start] == 0xFF && source[start + 1] == 0xDB {
            for index in start + 5..<start + 69 { source[index] = 255 }
        }
        for quality in [1.0, 0.5, 0.01] {
            let image = try recompress(source.withOrientation(orientation), RecompressionSettings(quality: quality))
            #expect(image.libjpegQuality != nil)
            #expect(try TestPicture(decoding: image.jpeg).width == 64)
        }
    }

    @Test("Pictures of all sizes and turns one after the other come out as each alone")
    func leavesNothingBehind() throws {
        let settings = RecompressionSettings(quality: 0.7)
        let shared = ImageRecompressor(settings: settings)
        for (index, (width, height)) in [(320, 240), (64, 48), (240, 320), (16, 16), (320, 240)].enumerated() {
            for orientation in [1, 2, 3, 6, 8] {
                let source = Data(
                    try TestPicture.noise(width: width, height: height, seed: UInt64(index)).jpeg(subsampled: true)
                        .withOrientation(orientation)
                )
                let alone = try ImageRecompressor(settings: settings).recompress(source)
                #expect(try shared.recompress(source).jpeg == alone.jpeg)
            }
        }
    }

    @Test("A picture cut anywhere is refused, never sent in part", arguments: [1, 2, 3, 6])
    func refusesCut(orientation: Int) throws {
        let whole = try Self.waves(400, 304).jpeg(quality: 90, subsampled: true).withOrientation(orientation)
        #expect(try Self.staysCoefficients(whole))
        #expect(refusal(of: whole) == nil)
        for end in stride(from: whole.count / 3, to: whole.count - 1, by: 199) {
            #expect(refusal(of: Array(whole[..<end])) == .truncated, "cut at \(end)")
        }
    }

    @Test("No segment stays with the picture")
    func dropsSegments() throws {
        let source = try Self.waves(64, 48).jpeg(subsampled: true).withOrientation(6)
        let image = try recompress(source, RecompressionSettings(quality: 0.5))
        var header = idc_jpeg_header()
        let bytes = Array(image.jpeg)
        #expect(idc_jpeg_read_header(bytes, bytes.count, nil, &header, nil, 0) == IDC_JPEG_OK)
        #expect(!header.has_metadata && header.orientation == 0 && header.baseline)
    }
}
