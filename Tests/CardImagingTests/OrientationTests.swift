import CImaging
import CardModel
import Foundation
import Testing

@testable import CardImaging

@Suite struct OrientationTests {
    @Test(arguments: [false, true])
    func `All eight orientations of a JPEG give the same bytes when no block is changed`(littleEndian: Bool) throws {
        let picture = TestPicture.mosaic(columns: 5, rows: 3)
        let expected = try prepare(try picture.jpeg())
        for orientation in 1...8 {
            let source = try picture.stored(orientation: orientation).jpeg()
                .withOrientation(orientation, littleEndian: littleEndian)
            let image = try prepare(source)
            #expect(image.width == picture.width && image.height == picture.height)
            #expect(image.jpeg == expected.jpeg, "orientation \(orientation)")
        }
        let upright = try TestPicture(decoding: expected.jpeg)
        for (x, y) in [(8, 8), (72, 8), (8, 40), (72, 40), (40, 24)] {
            let differences = zip(upright.samples(x, y), picture.samples(x, y)).map { abs(Int($0) - Int($1)) }
            #expect(differences.allSatisfy { $0 <= 2 }, "at \(x), \(y)")
        }
    }

    @Test(arguments: 2...8)
    func `All eight orientations of a photo, reduced, agree within 8 of 255, 0.5 on average`(orientation: Int) throws {
        let picture = TestPicture.photo(width: 640, height: 416)
        let settings = settings(quality: 1, maxEdge: 250)
        let expected = try TestPicture(decoding: try prepare(try picture.jpeg(), settings).jpeg)
        let source = try picture.stored(orientation: orientation).jpeg().withOrientation(orientation)
        let image = try prepare(source, settings)
        #expect(max(image.width, image.height) == 250)
        // Not zero: the source's own quantisation rounds a mirrored block differently.
        let decoded = try TestPicture(decoding: image.jpeg)
        #expect(try #require(decoded.largestDifference(from: expected)) <= 8)
        #expect(try #require(decoded.meanDifference(from: expected)) <= 0.5)
    }

    @Test(arguments: 1...8)
    func `All eight orientations of a PNG with eXIf give the same output`(orientation: Int) throws {
        let picture = TestPicture.photo(width: 61, height: 40)
        let settings = settings(quality: 1)
        let expected = try prepare(picture.png(), settings).jpeg
        let source = picture.stored(orientation: orientation)
            .png(extra: [("eXIf", exifBlock(orientation: orientation))])
        let image = try prepare(source, settings).jpeg
        if orientation < 5 { #expect(image == expected) }
        // A quarter turn halves the chroma of rows before that of columns, which rounds differently.
        let decoded = try TestPicture(decoding: image)
        let other = try TestPicture(decoding: expected)
        #expect(try #require(decoded.largestDifference(from: other)) <= 4)
        #expect(try #require(decoded.meanDifference(from: other)) <= 0.5)
    }

    @Test(arguments: ["tEXt", "zTXt", "iTXt"], ["exif", "APP1"])
    func `A PNG whose orientation stands in a text chunk is turned, too`(chunk: String, name: String) throws {
        let picture = TestPicture.photo(width: 61, height: 40)
        for orientation in 1...8 {
            let (stored, exif) = (picture.stored(orientation: orientation), exifBlock(orientation: orientation))
            let source = stored.png(extra: [(chunk, rawProfile(exif, in: chunk, name: name))])
            let expected = try prepare(stored.png(extra: [("eXIf", exif)]))
            #expect(try prepare(source).jpeg == expected.jpeg, "orientation \(orientation)")
        }
    }

    @Test func `A PNG with a palette is turned by the text form, too`() throws {
        func indexed(_ chunk: (type: String, body: [UInt8])) -> [UInt8] {
            let palette: (type: String, body: [UInt8]) = ("PLTE", [10, 20, 200, 250, 10, 10])
            let picture = TestPNG(width: 64, height: 32, colour: .palette, extra: [chunk, palette])
            return picture.bytes { x, _, _ in x < 32 ? 0 : 1 }
        }
        let exif = exifBlock(orientation: 6)
        let image = try prepare(indexed(("tEXt", rawProfile(exif))))
        #expect(image.width == 32 && image.height == 64)
        #expect(try image.jpeg == prepare(indexed(("eXIf", exif))).jpeg)
    }

    @Test func `Of eXIf and the text form of an orientation eXIf wins`() throws {
        let picture = TestPicture.photo(width: 61, height: 40)
        let chunks = [("tEXt", rawProfile(exifBlock(orientation: 6))), ("eXIf", exifBlock(orientation: 3))]
        for order in [chunks, chunks.reversed()] {
            let source = picture.stored(orientation: 3).png(extra: order)
            #expect(try prepare(source).jpeg == prepare(picture.png()).jpeg)
        }
    }

    @Test func `Hostile text forms of an orientation never crash and count as upright`() throws {
        let picture = TestPicture.photo(width: 20, height: 10)
        let good = rawProfile(exifBlock(orientation: 6), in: "zTXt")
        var texts = (0..<good.count - 1).map { ("zTXt", Array(good.prefix($0))) }
        texts.append(("tEXt", Array("Raw profile type exif\0".utf8)))
        texts.append(
            ("tEXt", Array("Raw profile type exif\0\nexif\n 9999\n".utf8) + [UInt8](repeating: 0x5A, count: 9000))
        )
        texts.append(("tEXt", Array("Raw profile type iptc\0\nexif\n 9\n4d4d".utf8)))
        for (type, text) in texts {
            let image = try prepare(picture.png(extra: [(type, text)]))
            #expect(image.width == 20 && image.height == 10)
        }
    }

    @Test(arguments: [TestPicture.Sampling.full, .half420])
    func `The output holds no Exif, comment or other metadata`(sampling: TestPicture.Sampling) throws {
        let source = try TestPicture.photo(width: 64, height: 48).jpeg(sampling: sampling)
            .insertingSegment(0xFE, Array("a comment".utf8))
            .insertingSegment(0xED, Array("Photoshop 3.0\0".utf8))
            .insertingSegment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
            .withOrientation(6)
        let output = Array(try prepare(source).jpeg)
        #expect(Set(output.markersBeforeScan).isSubset(of: [0xE0, 0xDB, 0xC0, 0xC4]))
        let header = try jpegHeader(of: output)
        #expect(header.orientation == 0 && !header.has_metadata && !header.has_trailing_bytes && header.baseline)
    }

    @Test(arguments: Self.hostileBlocks)
    func `Hostile Exif blocks never crash and count as upright`(block: [UInt8]) throws {
        let picture = TestPicture.mosaic(columns: 3, rows: 2)
        let source = try picture.jpeg().insertingSegment(0xE1, Array("Exif\0\0".utf8) + block)
        let image = try prepare(source)
        #expect(image.width == 48 && image.height == 32)
    }

    static let hostileBlocks: [[UInt8]] = {
        let good = exifBlock(orientation: 6)
        var blocks = (0..<20).map { Array(good.prefix($0)) }  // Cut within the entry at the latest.
        let changes: [(offset: Int, bytes: [UInt8])] = [
            (4, [0, 0, 0, 0]),  // The directory is the header itself: a loop.
            (4, [0, 0, 0, 4]), (4, [0xFF, 0xFF, 0xFF, 0xFF]), (2, [0, 43]),  // Not 42.
            (10, [0x01, 0x0F]),  // Another tag.
            (14, [0xFF, 0xFF, 0xFF, 0xFF]), (14, [0, 0, 0, 0]),  // Four billion values, and none.
            (12, [0, 7]), (18, [0, 0]), (18, [0, 9]), (18, [0xFF, 0xFF]),  // A type that is no number; no orientation.
        ]
        for (offset, bytes) in changes {
            blocks.append(Array(good[..<offset]) + bytes + Array(good[(offset + bytes.count)...]))
        }
        // 65,535 entries announced, one present and of another tag, then a directory that points back to itself.
        blocks.append(
            Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 12) + [0, 0, 0, 8]
        )
        return blocks
    }()

    @Test func `An entry count that lies does not hide an orientation that is there`() throws {
        var block = exifBlock(orientation: 3)
        block[8] = 0xFF
        #expect(idci_exif_orientation(block, block.count) == 3)
    }
}
