import CardModel
import Foundation
import Testing

@testable import CardImaging

@Suite struct ShrinkTests {
    @Test func `Each step takes a quarter of the edge and half of the bytes, until the print would be lost`() throws {
        let recompressor = ImageRecompressor(settings: ImagingSettings())
        let source = try TestPicture.photo(width: 1600, height: 1000).jpeg(sampling: .half420)
        var image = try recompressor.prepare(Data(source))
        var edges = [max(image.width, image.height)]
        while let smaller = try recompressor.shrink(image) {
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
        let recompressor = ImageRecompressor(settings: ImagingSettings())
        let image = try recompressor.prepare(Data(try TestPicture.photo(width: 799, height: 500).jpeg()))
        #expect(try recompressor.shrink(image) == nil)
    }

    @Test func `An image that cannot be read any more does not become smaller`() throws {
        let recompressor = ImageRecompressor(settings: ImagingSettings())
        let image = try recompressor.prepare(Data(try TestPicture.photo(width: 1000, height: 900).jpeg()))
        let cut = PreparedImage(image.jpeg.dropLast(100), PixelSize(width: 1000, height: 900))
        #expect(try recompressor.shrink(cut) == nil)
    }
}
