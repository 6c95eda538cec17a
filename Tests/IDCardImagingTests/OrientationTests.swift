import CJPEG
import Foundation
import IDCardImaging
import Testing

struct OrientationTests {
    @Test(
        "All eight orientations of a JPEG give byte-identical output when no block is changed",
        arguments: [false, true]
    )
    func identicalMosaics(littleEndian: Bool) throws {
        let picture = TestPicture.mosaic(columns: 5, rows: 3)
        let expected = try recompress(try picture.jpeg())
        for orientation in 1...8 {
            let source = try picture.stored(orientation: orientation).jpeg()
                .withOrientation(orientation, littleEndian: littleEndian)
            let image = try recompress(source)
            #expect(image.sourceOrientation == orientation)
            #expect(image.width == picture.width && image.height == picture.height)
            #expect(image.jpeg == expected.jpeg, "orientation \(orientation)")
        }
        let upright = try TestPicture(decoding: expected.jpeg)
        for (x, y) in [(8, 8), (72, 8), (8, 40), (72, 40), (40, 24)] {
            let differences = zip(upright.samples(x, y), picture.samples(x, y)).map { abs(Int($0) - Int($1)) }
            #expect(differences.allSatisfy { $0 <= 2 }, "at \(x), \(y)")
        }
    }

    @Test("All eight orientations of a photo, reduced, agree within 8 of 255, and 0.5 on average", arguments: 2...8)
    func equalPhotos(orientation: Int) throws {
        let picture = TestPicture.photo(width: 640, height: 416)
        let settings = RecompressionSettings(quality: 1, maximumEdge: 250)
        let expected = try TestPicture(decoding: try recompress(try picture.jpeg(), settings).jpeg)
        let source = try picture.stored(orientation: orientation).jpeg().withOrientation(orientation)
        let image = try recompress(source, settings)
        #expect(max(image.width, image.height) == 250)
        // Not zero: the source's own quantisation rounds a mirrored block differently.
        let decoded = try TestPicture(decoding: image.jpeg)
        #expect(try #require(decoded.largestDifference(from: expected)) <= 8)
        #expect(try #require(decoded.meanDifference(from: expected)) <= 0.5)
    }

    @Test("All eight orientations of a PNG with eXIf give identical output", arguments: 1...8)
    func identicalPNGs(orientation: Int) throws {
        let picture = TestPicture.photo(width: 61, height: 40)
        let expected = try recompress(picture.png())
        let source = picture.stored(orientation: orientation)
            .png(extra: [("eXIf", exifBlock(orientation: orientation))])
        #expect(try recompress(source).jpeg == expected.jpeg)
    }

    @Test("The output holds no Exif, comment or other metadata")
    func dropsMetadata() throws {
        let source = try TestPicture.photo(width: 64, height: 48).jpeg()
            .insertingSegment(0xFE, Array("a comment".utf8))
            .insertingSegment(0xED, Array("Photoshop 3.0\0".utf8))
            .insertingSegment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
            .withOrientation(6)
        let output = Array(try recompress(source).jpeg)
        #expect(Set(output.markersBeforeScan).isSubset(of: [0xE0, 0xDB, 0xC0, 0xC4]))
        let header = try jpegHeader(of: output)
        #expect(header.orientation == 0 && !header.has_metadata && !header.has_trailing_bytes)
    }

    @Test("Hostile Exif blocks never crash and count as upright", arguments: Self.hostileBlocks)
    func survives(block: [UInt8]) throws {
        let picture = TestPicture.mosaic(columns: 3, rows: 2)
        let source = try picture.jpeg().insertingSegment(0xE1, Array("Exif\0\0".utf8) + block)
        let image = try recompress(source)
        #expect(image.sourceOrientation == 1)
        #expect(image.width == 48 && image.height == 32)
    }

    static let hostileBlocks: [[UInt8]] = {
        let good = exifBlock(orientation: 6)
        var blocks = (0..<20).map { Array(good.prefix($0)) }  // Cut within the entry at the latest.
        func changed(_ offset: Int, _ bytes: [UInt8]) -> [UInt8] {
            var block = good
            block.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            return block
        }
        blocks.append(changed(4, [0, 0, 0, 0]))  // The directory is the header itself: a loop.
        blocks.append(changed(4, [0, 0, 0, 4]))
        blocks.append(changed(4, [0xFF, 0xFF, 0xFF, 0xFF]))
        blocks.append(changed(2, [0, 43]))  // Not 42.
        blocks.append(changed(10, [0x01, 0x0F]) + [])  // Another tag.
        blocks.append(changed(14, [0xFF, 0xFF, 0xFF, 0xFF]))  // Four billion values.
        blocks.append(changed(14, [0, 0, 0, 0]))
        blocks.append(changed(12, [0, 7]))  // A type that is no number.
        blocks.append(changed(18, [0, 0]))
        blocks.append(changed(18, [0, 9]))
        blocks.append(changed(18, [0xFF, 0xFF]))
        // 65,535 entries announced, one present and of another tag, then a directory that points back to itself.
        blocks.append(
            Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 12) + [0, 0, 0, 8]
        )
        return blocks
    }()

    @Test("An entry count that lies does not hide an orientation that is there")
    func toleratesLyingCount() throws {
        var block = exifBlock(orientation: 3)
        block[8] = 0xFF
        #expect(idc_exif_orientation(block, block.count) == 3)
    }
}
