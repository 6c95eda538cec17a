import CJPEG
import Foundation
import IDCardImaging
import Testing

/// The committed pictures, which other software wrote.
struct FixtureTests {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "fixtures")

    static func content(_ path: String) throws -> Data {
        try Data(contentsOf: self.root.appending(path: path))
    }

    /// Every picture below a folder, as paths relative to the fixtures.
    static func pictures(below folder: String) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: self.root.appending(path: folder).path)
        return names.filter { ImageFormat.isImageExtension(($0 as NSString).pathExtension) }.map { "\(folder)/\($0)" }
    }

    static let refusals: [(folder: String, code: ImagingError.Code)] = [
        ("REFUSED-CLAIMS-64000/front.jpg", .tooManyPixels),
        ("REFUSED-CLAIMS-65535/front.jpg", .edgeTooLong),
        ("REFUSED-EMPTY/front.jpg", .empty),
        ("REFUSED-GIF/front.gif", .unsupportedFormat),
        ("REFUSED-HEADER-ONLY/front.jpg", .truncated),
        ("REFUSED-HEIC/front.jpg", .unsupportedFormat),
        ("REFUSED-PDF/front.pdf", .unsupportedFormat),
        ("REFUSED-PNG-BOMB/front.png", .tooManyPixels),
        ("REFUSED-PNG-CORRUPT/front.png", .corrupt),
        ("REFUSED-PNG-TRUNCATED/front.png", .truncated),
        ("REFUSED-TEXT/front.jpg", .unsupportedFormat),
        ("REFUSED-TIFF/front.tif", .unsupportedFormat),
        ("REFUSED-TRUNCATED/front.jpg", .truncated),
        ("REFUSED-WEBP/front.webp", .unsupportedFormat),
    ]

    @Test("Damaged, hostile and foreign files are refused with their code", arguments: Self.refusals)
    func refuses(path: String, code: ImagingError.Code) throws {
        let source = try Self.content("refused/\(path)")
        let error = #expect(throws: ImagingError.self) { try ImageRecompressor().recompress(source) }
        #expect(error?.code == code)
    }

    @Test(
        "Every good card comes out within edge and budget, clean, baseline",
        arguments: ["cards", "accepted-oddities"]
    )
    func accepts(folder: String) throws {
        let paths = try Self.pictures(below: folder)
        #expect(paths.count >= 10)
        for path in paths {
            let image = try ImageRecompressor().recompress(try Self.content(path))
            let header = try jpegHeader(of: image.jpeg)
            #expect(header.baseline && !header.has_metadata && !header.has_trailing_bytes)
            #expect(Int(header.width) == image.width && Int(header.height) == image.height)
            #expect(max(image.width, image.height) <= 1600 && image.jpeg.count <= 1_990_000)
            #expect(image.libjpegQuality == 50)
        }
    }

    @Test("The mosaic under all eight orientations decodes to identical output")
    func mosaics() throws {
        let outputs = try (1...8).map { orientation in
            let image = try ImageRecompressor().recompress(try Self.content("orientations/mosaic-\(orientation).jpg"))
            #expect(image.sourceOrientation == orientation)
            #expect(image.width == 384 && image.height == 288)
            return image.jpeg
        }
        #expect(Set(outputs).count == 1)
    }

    @Test("The photograph under all eight orientations shows the same, upright", arguments: 2...8)
    func photographs(orientation: Int) throws {
        let recompressor = ImageRecompressor(settings: gentle)
        let expected = try recompressor.recompress(try Self.content("orientations/1.jpg"))
        let image = try recompressor.recompress(try Self.content("orientations/\(orientation).jpg"))
        #expect(image.width == 768 && image.height == 576)
        let difference = try TestPicture(decoding: image.jpeg).meanDifference(
            from: TestPicture(decoding: expected.jpeg)
        )
        #expect(try #require(difference) < 2)
    }
}
