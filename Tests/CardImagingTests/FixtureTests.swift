import CImaging
import CardModel
import Foundation
import Testing

@testable import CardImaging

/// The committed pictures, which other software wrote.
@Suite struct FixtureTests {
    static let refusals: [(folder: String, code: ReasonCode)] = [
        ("REFUSED-CLAIMS-64000/front.jpg", .imageTooManyPixels),
        ("REFUSED-CLAIMS-65535/front.jpg", .imageEdgeTooLong),
        ("REFUSED-EMPTY/front.jpg", .imageEmpty),
        ("REFUSED-GIF/front.gif", .unsupportedFormat),
        ("REFUSED-HEADER-ONLY/front.jpg", .imageTruncated),
        ("REFUSED-HEIC/front.jpg", .unsupportedFormat),
        ("REFUSED-PDF/front.pdf", .unsupportedFormat),
        ("REFUSED-PNG-BOMB/front.png", .imageTooManyPixels),
        ("REFUSED-PNG-CORRUPT/front.png", .imageCorrupt),
        ("REFUSED-PNG-TRUNCATED/front.png", .imageTruncated),
        ("REFUSED-TEXT/front.jpg", .unsupportedFormat),
        ("REFUSED-TIFF/front.tif", .unsupportedFormat),
        ("REFUSED-TRUNCATED/front.jpg", .imageTruncated),
        ("REFUSED-WEBP/front.webp", .unsupportedFormat),
    ]

    @Test(arguments: Self.refusals) func `Damaged, hostile and foreign files are refused with their code`(
        path: String,
        code: ReasonCode
    ) throws {
        let source = try Fixture.content("refused/\(path)")
        let error = #expect(throws: CodedError.self) {
            try ImageRecompressor(settings: ImagingSettings()).prepare(source)
        }
        #expect(error?.code == code)
    }

    @Test(arguments: ["cards", "accepted-oddities"])
    func `Every good card comes out within edge and budget, clean, baseline`(folder: String) throws {
        let paths = try Fixture.pictures(below: folder)
        #expect(paths.count >= 10)
        for path in paths {
            let image = try ImageRecompressor(settings: ImagingSettings()).prepare(try Fixture.content(path))
            let header = try jpegHeader(of: image.jpeg)
            #expect(header.baseline && !header.has_metadata && !header.has_trailing_bytes)
            #expect(Int(header.width) == image.width && Int(header.height) == image.height)
            #expect(max(image.width, image.height) <= 1600 && image.jpeg.count <= 1_990_000)
            #expect(try quality(of: image.jpeg) == 50)
        }
    }

    @Test func `The mosaic under all eight orientations decodes to identical output`() throws {
        let outputs = try (1...8).map { orientation in
            let image = try ImageRecompressor(settings: ImagingSettings()).prepare(
                try Fixture.content("orientations/mosaic-\(orientation).jpg")
            )
            #expect(image.width == 384 && image.height == 288)
            return image.jpeg
        }
        #expect(Set(outputs).count == 1)
    }

    @Test(arguments: 2...8) func `The photograph under all eight orientations shows the same, upright`(orientation: Int)
        throws
    {
        let recompressor = ImageRecompressor(settings: gentle)
        let expected = try recompressor.prepare(try Fixture.content("orientations/1.jpg"))
        let image = try recompressor.prepare(try Fixture.content("orientations/\(orientation).jpg"))
        #expect(image.width == 768 && image.height == 576)
        let difference = try TestPicture(decoding: image.jpeg).meanDifference(
            from: TestPicture(decoding: expected.jpeg)
        )
        #expect(try #require(difference) < 2)
    }
}
