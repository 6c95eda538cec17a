import CJPEG
import Foundation
import Testing

@testable import IDCardImaging

/// The path over planes against the path over pixels, which is the straightforward one.
struct PlaneTests {
    /// Decibels below which the two paths differ in more than rounding. Chroma moved by half a sample, or an odd edge
    /// stretched, falls below it.
    static let leastRatio = 38.0

    /// Smooth waves in luma and, steeper and across, in chroma; without symmetry.
    ///
    /// - Parameter edge: the longest edge that the picture is brought to; the waves are as long there whatever it is, as
    ///   the path over pixels blurs what is shorter.
    static func waves(width: Int, height: Int, edge: Int? = nil) -> TestPicture {
        let scale = Double(edge ?? max(width, height)) / Double(max(width, height)) / 25
        return TestPicture(width: width, height: height) { x, y in
            let (across, down) = (Double(x) * scale, Double(y) * scale * 0.8)
            let (luma, blue, red) = (128 + 50 * cos(across * 0.7 + down), 60 * sin(across * 2), 60 * sin(down * 2))
            let rgb = [luma + 1.402 * red, luma - 0.344 * blue - 0.714 * red, luma + 1.772 * blue]
            let samples = rgb.map { UInt8(min(255, max(0, $0.rounded()))) }
            return (samples[0], samples[1], samples[2])
        }
    }

    /// Both paths' outputs, decoded.
    static func both(
        _ source: [UInt8],
        _ settings: RecompressionSettings
    ) throws -> (planes: TestPicture, pixels: TestPicture) {
        let recompressor = ImageRecompressor(settings: settings)
        return try source.withUnsafeBufferPointer { bytes in
            let jpeg = try JPEGSource(bytes, limits: ImagingLimits())
            let planes = try #require(try recompressor.recompressPlanes(jpeg))
            let pixels = try recompressor.finish(try jpeg.decode(maximumEdge: settings.maximumEdge), format: .jpeg)
            return (try TestPicture(decoding: planes.jpeg), try TestPicture(decoding: pixels.jpeg))
        }
    }

    static let sizes = [(256, 192), (255, 193), (256, 191), (127, 250), (33, 31), (16, 16), (1, 1), (2, 3), (17, 1)]

    @Test("At the same size both paths agree, under every orientation", arguments: 1...8)
    func agreesAtTheSameSize(orientation: Int) throws {
        for (width, height) in Self.sizes {
            let source = try Self.waves(width: width, height: height).stored(orientation: orientation)
                .jpeg(subsampled: true).withOrientation(orientation)
            let (planes, pixels) = try Self.both(source, gentle)
            #expect(planes.width == width && planes.height == height)
            let ratio = try #require(planes.signalToNoise(against: pixels))
            #expect(ratio >= Self.leastRatio, "\(width)×\(height): \(ratio) dB")
        }
    }

    @Test("Reduced, both paths agree, under every orientation", arguments: 1...8)
    func agreesReduced(orientation: Int) throws {
        for (width, height, edge) in [
            (400, 300, 300), (401, 299, 201), (403, 301, 200), (640, 480, 160), (257, 513, 111), (801, 3, 100),
        ] {
            let picture = Self.waves(width: width, height: height, edge: edge)
            let source = try picture.stored(orientation: orientation).jpeg(subsampled: true).withOrientation(
                orientation
            )
            let (planes, pixels) = try Self.both(source, RecompressionSettings(quality: 1, maximumEdge: edge))
            #expect(max(planes.width, planes.height) == edge)
            let ratio = try #require(planes.signalToNoise(against: pixels))
            #expect(ratio >= Self.leastRatio, "\(width)×\(height) to \(edge): \(ratio) dB")
        }
    }

    @Test("Every committed 4:2:0 photograph comes out the same as over pixels, as far as its encoding tells")
    func agreesOnFixtures() throws {
        var compared = 0
        for folder in ["cards", "accepted-oddities", "orientations"] {
            for path in try FixtureTests.pictures(below: folder) {
                let source = Array(try FixtureTests.content(path))
                var header = idc_jpeg_header()
                guard idc_jpeg_read_header(source, source.count, nil, &header, nil, 0) == IDC_JPEG_OK else { continue }
                // What has a profile that is applied is left to the path over pixels.
                guard idc_jpeg_is_planar(&header), header.icc_bytes == 0 else { continue }
                for edge in folder == "orientations" ? [1600, 500] : [500] {
                    let settings = RecompressionSettings(quality: 0.9, maximumEdge: edge)
                    let (planes, pixels) = try Self.both(source, settings)
                    let ratio = try #require(planes.signalToNoise(against: pixels))
                    #expect(ratio >= Self.leastRatio, "\(path) to \(edge): \(ratio) dB")
                    compared += 1
                }
            }
        }
        #expect(compared >= 20)
    }

    @Test("A progressive picture takes the same path")
    func takesProgressive() throws {
        let picture = Self.waves(width: 201, height: 99, edge: 100)
        let settings = RecompressionSettings(quality: 1, maximumEdge: 100)
        let (planes, pixels) = try Self.both(try picture.jpeg(subsampled: true, progressive: true), settings)
        #expect(try #require(planes.signalToNoise(against: pixels)) >= Self.leastRatio)
    }

    @Test("Full chroma, grey and colours to convert take the path over pixels")
    func leavesOthers() throws {
        let picture = Self.waves(width: 64, height: 48)
        for source in [try picture.jpeg(), try picture.jpeg(grey: true)] {
            try source.withUnsafeBufferPointer { bytes in
                let jpeg = try JPEGSource(bytes, limits: ImagingLimits())
                #expect(try ImageRecompressor().recompressPlanes(jpeg) == nil)
            }
        }
    }

    @Test("A budget missed by the straight way is met with the next quality, as over pixels")
    func meetsBudget() throws {
        let source = try TestPicture.noise(width: 160, height: 120, seed: 5).jpeg(subsampled: true)
        let generous = try recompress(source, RecompressionSettings(quality: 0.9))
        let tight = RecompressionSettings(quality: 0.9, byteBudget: generous.jpeg.count - 1)
        let image = try recompress(source, tight)
        #expect(image.libjpegQuality == 80 && image.width == 160)
        let tiny = try recompress(source, RecompressionSettings(quality: 0.9, byteBudget: 4500, minimumQuality: 0.8))
        #expect(tiny.libjpegQuality == 80 && tiny.width < 160 && tiny.jpeg.count <= 4500)
    }

    @Test("Pictures of all sizes one after the other, over the same planes, come out as each alone")
    func leavesNothingBehind() throws {
        let settings = RecompressionSettings(quality: 1, maximumEdge: 120)
        let shared = ImageRecompressor(settings: settings)
        for (index, (width, height)) in [(400, 300), (90, 70), (301, 199), (16, 500), (400, 300)].enumerated() {
            let source = Data(
                try Self.waves(width: width, height: height).jpeg(subsampled: true).withOrientation(index + 3)
            )
            let alone = try ImageRecompressor(settings: settings).recompress(source)
            #expect(try shared.recompress(source).jpeg == alone.jpeg)
        }
    }

    @Test("A picture cut anywhere is refused, never sent in part", arguments: [120, 4000])
    func refusesCut(edge: Int) throws {
        let whole = try Self.waves(width: 400, height: 300).jpeg(quality: 90, subsampled: true)
        let settings = RecompressionSettings(maximumEdge: edge)
        #expect(refusal(of: whole, settings) == nil)
        for end in stride(from: 4, to: whole.count - 1, by: 199) {
            #expect(refusal(of: Array(whole[..<end]), settings) == .truncated, "cut at \(end)")
        }
    }
}

extension TestPicture {
    /// The peak signal to noise ratio in decibels; infinite when equal, nil for different sizes.
    func signalToNoise(against other: TestPicture) -> Double? {
        guard self.width == other.width, self.height == other.height else { return nil }
        var squares = 0
        for (mine, others) in zip(self.rgb, other.rgb) {
            let difference = Int(mine) - Int(others)
            squares += difference * difference
        }
        return 10 * log10(255 * 255 * Double(self.rgb.count) / Double(squares))
    }
}
