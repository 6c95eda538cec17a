import Foundation
import Testing

@testable import IDCardImaging

struct FittingTests {
    static let sizes: [(source: (Int, Int), edge: Int, target: (Int, Int), scale: UInt32)] = [
        ((4032, 3024), 1600, (1600, 1200), 4),
        ((3024, 4032), 1600, (1200, 1600), 4),
        ((3200, 2400), 1600, (1600, 1200), 4),
        ((3199, 2400), 1600, (1600, 1200), 4),
        ((3198, 2400), 1600, (1600, 1201), 8),
        ((6400, 4800), 1600, (1600, 1200), 2),
        ((8000, 6000), 1000, (1000, 750), 1),
        ((12_800, 100), 1600, (1600, 13), 1),
        ((1600, 1200), 1600, (1600, 1200), 8),
        ((640, 480), 1600, (640, 480), 8),
        ((65_500, 1), 1600, (1600, 1), 1),
        ((1, 1), 1600, (1, 1), 8),
    ]

    @Test(
        "A picture is fitted to the edge, and decoded at the smallest DCT scale that is enough",
        arguments: Self.sizes
    )
    func plans(source: (Int, Int), edge: Int, target: (Int, Int), scale: UInt32) {
        let plan = DecodePlan.jpeg(PixelSize(width: source.0, height: source.1), maximumEdge: edge)
        #expect(plan.target == PixelSize(width: target.0, height: target.1))
        #expect(plan.decoded.width >= plan.target.width && plan.decoded.height >= plan.target.height)
        #expect(plan.scale == scale)
    }

    @Test("A larger picture is fitted and still shows the same", arguments: [false, true])
    func reduces(progressive: Bool) throws {
        let source = try TestPicture.photo(width: 800, height: 600).jpeg(progressive: progressive)
        let image = try recompress(source, RecompressionSettings(quality: 1, maximumEdge: 200))
        #expect(image.width == 200 && image.height == 150)
        #expect(image.sourceWidth == 800 && image.sourceHeight == 600)
        let expected = TestPicture.photo(width: 200, height: 150)
        #expect(try #require(TestPicture(decoding: image.jpeg).meanDifference(from: expected)) < 2)
    }

    @Test("A flat picture keeps its colour exactly at every target size", arguments: [7, 50, 99, 100, 128, 199, 200])
    func keepsFlatColour(edge: Int) throws {
        let flat = TestPicture(width: 200, height: 120) { _, _ in (90, 90, 90) }
        let image = try recompress(flat.png(), RecompressionSettings(quality: 1, maximumEdge: edge))
        let decoded = try TestPicture(decoding: image.jpeg)
        #expect(max(decoded.width, decoded.height) == edge)
        #expect(decoded.rgb.allSatisfy { $0 == 90 })
    }

    @Test("A smaller picture is never enlarged")
    func neverEnlarges() throws {
        let image = try recompress(try TestPicture.photo(width: 120, height: 90).jpeg())
        #expect(image.width == 120 && image.height == 90)
    }

    @Test("Fine stripes become even grey instead of moiré")
    func antialiases() throws {
        let stripes = TestPicture(width: 600, height: 60) { x, _ in x % 2 == 0 ? (0, 0, 0) : (255, 255, 255) }
        let image = try recompress(stripes.png(), RecompressionSettings(quality: 1, maximumEdge: 130))
        let decoded = try TestPicture(decoding: image.jpeg)
        let inner = (10..<120).map { Int(decoded[$0, 6].0) }
        #expect(inner.allSatisfy { abs($0 - 128) <= 12 })
    }
}
