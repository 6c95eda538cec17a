import CJPEG
import Foundation
import Testing

@testable import IDCardImaging

struct BudgetTests {
    @Test(
        "Quality 0…1 maps to libjpeg's 1…100",
        arguments: [(0, 1), (0.004, 1), (0.3, 30), (0.5, 50), (0.755, 76), (0.999, 100), (1, 100)]
    )
    func mapsQuality(quality: Double, expected: Int) {
        #expect(RecompressionSettings.libjpegQuality(quality) == expected)
    }

    @Test("Qualities are tried in steps of ten down to the floor")
    func stepsDown() {
        #expect(RecompressionSettings(quality: 0.5, minimumQuality: 0.3).qualityLadder == [50, 40, 30])
        #expect(RecompressionSettings(quality: 0.75, minimumQuality: 0.5).qualityLadder == [75, 65, 55, 50])
        #expect(RecompressionSettings(quality: 0.2, minimumQuality: 0.3).qualityLadder == [20])
    }

    @Test("The configured quality is used when the budget allows, and more quality makes more bytes")
    func usesConfiguredQuality() throws {
        let source = try TestPicture.noise(width: 160, height: 120, seed: 1).jpeg()
        let low = try recompress(source, RecompressionSettings(quality: 0.3))
        let middle = try recompress(source, RecompressionSettings())
        let high = try recompress(source, RecompressionSettings(quality: 0.9))
        #expect([low, middle, high].map(\.libjpegQuality) == [30, 50, 90])
        #expect(low.jpeg.count < middle.jpeg.count && middle.jpeg.count < high.jpeg.count)
    }

    @Test("A missed budget lowers the quality first and leaves the size")
    func lowersQualityFirst() throws {
        let source = try TestPicture.noise(width: 160, height: 120, seed: 2).jpeg()
        let generous = try recompress(source, RecompressionSettings(quality: 0.9))
        let budget = generous.jpeg.count - 1
        let image = try recompress(source, RecompressionSettings(quality: 0.9, byteBudget: budget))
        #expect(image.libjpegQuality == 80)
        #expect(image.width == 160 && image.height == 120)
        #expect(image.jpeg.count <= budget)
    }

    @Test("A budget of exactly the encoded size is met at the first try")
    func acceptsExactBudget() throws {
        let source = try TestPicture.noise(width: 160, height: 120, seed: 3).jpeg()
        let free = try recompress(source, RecompressionSettings(quality: 0.9))
        let exact = try recompress(source, RecompressionSettings(quality: 0.9, byteBudget: free.jpeg.count))
        #expect(exact.jpeg == free.jpeg)
    }

    @Test("At the floor the edges are shortened, keeping the shape")
    func thenShortensEdges() throws {
        let source = try TestPicture.noise(width: 320, height: 240, seed: 4).jpeg()
        let settings = RecompressionSettings(quality: 0.5, byteBudget: 6000, minimumQuality: 0.4)
        let image = try recompress(source, settings)
        #expect(image.libjpegQuality == 40)
        #expect(image.jpeg.count <= 6000)
        #expect(image.width < 320 && abs(image.width * 3 - image.height * 4) <= 4)
        #expect(try TestPicture(decoding: image.jpeg).width == image.width)
    }

    @Test("A budget that nothing can meet is an error")
    func refusesImpossibleBudget() throws {
        let source = try TestPicture.noise(width: 160, height: 120, seed: 5).jpeg()
        #expect(refusal(of: source, RecompressionSettings(byteBudget: 300)) == .overBudget)
    }

    // MARK: - Passing through

    static let whenNeeded = RecompressionSettings(maximumEdge: 100, byteBudget: 20_000, recompress: .whenNeeded)

    @Test("A clean baseline JPEG within all limits passes through byte for byte", arguments: [false, true])
    func passesThrough(grey: Bool) throws {
        let source = try TestPicture.photo(width: 100, height: 80).jpeg(quality: 80, grey: grey)
        let image = try recompress(source, Self.whenNeeded)
        #expect(image.passedThrough)
        #expect(Array(image.jpeg) == source)
        #expect(image.width == 100 && image.height == 80 && image.libjpegQuality == nil)
    }

    @Test("The same JPEG is encoded anew when always is asked")
    func alwaysRecompresses() throws {
        let source = try TestPicture.photo(width: 100, height: 80).jpeg(quality: 80)
        let image = try recompress(source)
        #expect(!image.passedThrough && Array(image.jpeg) != source)
    }

    @Test("Anything unclean is encoded anew", arguments: Uncleanness.allCases)
    func recompressesUnclean(_ uncleanness: Uncleanness) throws {
        let source = try uncleanness.source()
        let image = try recompress(source, Self.whenNeeded)
        #expect(!image.passedThrough)
        let header = try jpegHeader(of: image.jpeg)
        #expect(header.baseline && !header.has_metadata && !header.has_trailing_bytes)
        #expect(max(image.width, image.height) <= 100 && image.jpeg.count <= 20_000)
    }

    enum Uncleanness: CaseIterable {
        case tooWide, tooManyBytes, progressive, orientation, uprightExif, comment, profile, trailingBytes, thumbnail

        func source() throws -> [UInt8] {
            let picture = TestPicture.photo(width: 100, height: 80)
            let clean = try picture.jpeg(quality: 80)
            switch self {
            case .tooWide: return try TestPicture.photo(width: 101, height: 80).jpeg()
            case .tooManyBytes: return try TestPicture.noise(width: 100, height: 100, seed: 6).jpeg(quality: 100)
            case .progressive: return try picture.jpeg(progressive: true)
            case .orientation: return clean.withOrientation(6)
            case .uprightExif: return clean.withOrientation(1)
            case .comment: return clean.insertingSegment(0xFE, Array("hello".utf8))
            case .profile: return try picture.jpeg(icc: TestProfile.sRGB)
            case .trailingBytes: return clean + [1, 2, 3]
            case .thumbnail: return clean.insertingSegment(0xE0, Array("JFXX\0".utf8) + [0x13, 1, 1, 9, 9, 9])
            }
        }
    }

    @Test("A cut or damaged JPEG does not pass through")
    func checksWhatPassesThrough() throws {
        let source = try TestPicture.photo(width: 100, height: 80).jpeg(quality: 80)
        #expect(refusal(of: Array(source.dropLast(200)), Self.whenNeeded) == .truncated)
        // The end marker is there, the data before it is not.
        #expect(refusal(of: source.dropLast(200) + [0xFF, 0xD9], Self.whenNeeded) == .truncated)
    }
}
