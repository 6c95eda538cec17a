import CImaging
import CLibJPEG
import CardModel
import Foundation
import Testing

@testable import CardImaging

@Suite struct BudgetTests {
    @Test(arguments: [
        (0.5, 0.3, [50, 40, 30]), (0.75, 0.5, [75, 65, 55, 50]), (0.2, 0.3, [20]), (0, 0, [1]), (0.004, 0, [1]),
        (1, 0.999, [100]),
    ])
    func `Qualities are tried in steps of ten down to the lowest`(quality: Double, lowest: Double, ladder: [Int]) {
        #expect(settings(quality: quality, minQuality: lowest).qualityLadder == ladder)
    }

    @Test func `The configured quality is used when the budget allows, and more quality makes more bytes`() throws {
        let source = try TestPicture.noise(width: 160, height: 120, seed: 1).jpeg()
        let low = try prepare(source, settings(quality: 0.3))
        let middle = try prepare(source, settings())
        let high = try prepare(source, settings(quality: 0.9))
        #expect(try [low, middle, high].map { try quality(of: $0.jpeg) } == [30, 50, 90])
        #expect(low.jpeg.count < middle.jpeg.count && middle.jpeg.count < high.jpeg.count)
    }

    @Test(arguments: [TestPicture.Sampling.full, .half420])
    func `A missed budget lowers the quality first and leaves the size`(sampling: TestPicture.Sampling) throws {
        let source = try TestPicture.noise(width: 160, height: 120, seed: 2).jpeg(sampling: sampling)
        let generous = try prepare(source, settings(quality: 0.9))
        let budget = generous.jpeg.count - 1
        let image = try prepare(source, settings(quality: 0.9, byteBudget: budget))
        #expect(try quality(of: image.jpeg) == 80)
        #expect(image.width == 160 && image.height == 120)
        #expect(image.jpeg.count <= budget)
    }

    @Test func `A budget of exactly the encoded size is met at the first try`() throws {
        let source = try TestPicture.noise(width: 160, height: 120, seed: 3).jpeg()
        let free = try prepare(source, settings(quality: 0.9))
        #expect(try prepare(source, settings(quality: 0.9, byteBudget: free.jpeg.count)).jpeg == free.jpeg)
    }

    @Test(arguments: [TestPicture.Sampling.full, .half420])
    func `At the floor the edges are shortened, keeping the shape`(sampling: TestPicture.Sampling) throws {
        let source = try TestPicture.noise(width: 320, height: 240, seed: 4).jpeg(sampling: sampling)
        let settings = settings(quality: 0.5, byteBudget: 6000, minQuality: 0.4)
        let image = try prepare(source, settings)
        #expect(try quality(of: image.jpeg) == 40)
        #expect(image.jpeg.count <= 6000)
        #expect(image.width < 320 && abs(image.width * 3 - image.height * 4) <= 4)
        #expect(try TestPicture(decoding: image.jpeg).width == image.width)
    }

    @Test func `A budget that nothing can meet is an error`() throws {
        let source = try TestPicture.noise(width: 160, height: 120, seed: 5).jpeg()
        #expect(refusal(of: source, settings(byteBudget: 300)) == .imageOverBudget)
    }

    // MARK: - Passing through

    static let whenNeeded = settings(maxEdge: 100, byteBudget: 20_000, recompress: .whenNeeded)

    @Test(arguments: [false, true])
    func `A clean baseline JPEG within all limits passes through byte for byte`(grey: Bool) throws {
        let source = try TestPicture.photo(width: 100, height: 80).jpeg(
            quality: 80,
            space: grey ? JCS_GRAYSCALE : JCS_YCbCr
        )
        let image = try prepare(source, Self.whenNeeded)
        #expect(Array(image.jpeg) == source)
        #expect(image.width == 100 && image.height == 80)
    }

    @Test func `The same JPEG is encoded again when always is asked`() throws {
        let source = try TestPicture.photo(width: 100, height: 80).jpeg(quality: 80)
        let image = try prepare(source)
        #expect(Array(image.jpeg) != source)
    }

    @Test func `Anything unclean is encoded again`() throws {
        let picture = TestPicture.photo(width: 100, height: 80)
        let clean = try picture.jpeg(quality: 80)
        let sources: KeyValuePairs<String, [UInt8]> = [
            "too wide": try TestPicture.photo(width: 101, height: 80).jpeg(),
            "too many bytes": try TestPicture.noise(width: 100, height: 100, seed: 6).jpeg(quality: 100),
            "progressive": try picture.jpeg(progressive: true), "fractional": try .sampledByThreeToTwo(),
            "an orientation": clean.withOrientation(6), "upright Exif": clean.withOrientation(1),
            "a comment": clean.insertingSegment(0xFE, Array("hello".utf8)),
            "a profile": try picture.jpeg(icc: TestProfile.sRGB), "trailing bytes": clean + [1, 2, 3],
            "a thumbnail": clean.insertingSegment(0xE0, Array("JFXX\0".utf8) + [0x13, 1, 1, 9, 9, 9]),
        ]
        for (what, source) in sources {
            let image = try prepare(source, Self.whenNeeded)
            #expect(Array(image.jpeg) != source, "\(what)")
            let header = try jpegHeader(of: image.jpeg)
            #expect(header.baseline && !header.has_metadata && !header.has_trailing_bytes, "\(what)")
            #expect(max(image.width, image.height) <= 100 && image.jpeg.count <= 20_000, "\(what)")
        }
    }

    @Test func `A cut or damaged JPEG does not pass through`() throws {
        let source = try TestPicture.photo(width: 100, height: 80).jpeg(quality: 80)
        #expect(refusal(of: Array(source.dropLast(200)), Self.whenNeeded) == .imageTruncated)
        // The end marker is there, the data before it is not.
        #expect(refusal(of: source.dropLast(200) + [0xFF, 0xD9], Self.whenNeeded) == .imageTruncated)
    }
}
