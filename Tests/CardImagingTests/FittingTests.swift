import CardModel
import Foundation
import Testing

@testable import CardImaging

@Suite struct FittingTests {
    @Test(arguments: [false, true])
    func `A larger picture is fitted and still shows the same`(progressive: Bool) throws {
        let source = try TestPicture.photo(width: 800, height: 600).jpeg(progressive: progressive)
        let image = try prepare(source, settings(quality: 1, maxEdge: 200))
        #expect(image.width == 200 && image.height == 150)
        let expected = TestPicture.photo(width: 200, height: 150)
        #expect(try #require(TestPicture(decoding: image.jpeg).meanDifference(from: expected)) < 2)
    }

    @Test(arguments: [7, 50, 99, 100, 128, 199, 200])
    func `A flat picture keeps its colour exactly at every target size`(edge: Int) throws {
        let flat = TestPicture(width: 200, height: 120) { _, _ in (90, 90, 90) }
        let image = try prepare(flat.png(), settings(quality: 1, maxEdge: edge))
        let decoded = try TestPicture(decoding: image.jpeg)
        #expect(max(decoded.width, decoded.height) == edge)
        #expect(decoded.rgb.allSatisfy { $0 == 90 })
    }

    @Test func `A smaller picture is never enlarged`() throws {
        let image = try prepare(try TestPicture.photo(width: 120, height: 90).jpeg())
        #expect(image.width == 120 && image.height == 90)
    }

    @Test func `Fine stripes become even grey instead of moiré`() throws {
        let stripes = TestPicture(width: 600, height: 60) { x, _ in x % 2 == 0 ? (0, 0, 0) : (255, 255, 255) }
        let image = try prepare(stripes.png(), settings(quality: 1, maxEdge: 130))
        let decoded = try TestPicture(decoding: image.jpeg)
        let inner = (10..<120).map { Int(decoded[$0, 6].0) }
        #expect(inner.allSatisfy { abs($0 - 128) <= 12 })
    }

    // MARK: - Shrinking

    private let recompressor = ImageRecompressor(settings: ImagingSettings())

    @Test func `Each step takes a quarter of the edge and half of the bytes, until the print would be lost`() throws {
        let source = try TestPicture.photo(width: 1600, height: 1000).jpeg(sampling: .half420)
        var image = try self.recompressor.prepare(Data(source))
        var edges = [max(image.width, image.height)]
        while let smaller = try self.recompressor.shrink(image) {
            #expect(smaller.jpeg.count <= image.jpeg.count / 2)
            #expect(smaller.digest == ContentDigest(of: smaller.jpeg))
            edges.append(max(smaller.width, smaller.height))
            image = smaller
        }
        #expect(edges.first == 1600)
        #expect(zip(edges, edges.dropFirst()).allSatisfy { $1 <= $0 * 3 / 4 })
        #expect(edges.count >= 3 && (edges.last ?? 0) * 3 / 4 < 600)
    }

    @Test func `An image below 800 pixels does not become smaller`() throws {
        let image = try self.recompressor.prepare(Data(try TestPicture.photo(width: 799, height: 500).jpeg()))
        #expect(try self.recompressor.shrink(image) == nil)
    }

    @Test func `An image that cannot be read any more does not become smaller`() throws {
        let image = try self.recompressor.prepare(Data(try TestPicture.photo(width: 1000, height: 900).jpeg()))
        let cut = PreparedImage(image.jpeg.dropLast(100), PixelSize(width: 1000, height: 900))
        #expect(try self.recompressor.shrink(cut) == nil)
    }
}
