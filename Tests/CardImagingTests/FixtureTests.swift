import CImaging
import CardModel
import Foundation
import Testing

@testable import CardImaging

/// The committed pictures, which other software wrote.
@Suite struct FixtureTests {
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
}
