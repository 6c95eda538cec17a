import CardModel
import Foundation
import Testing

@testable import CardImaging

/// Kinds of files that are refused although nothing is wrong with them: the words say what they are and what to do.
@Suite struct UnusualKindTests {
    private func error(of source: [UInt8]) throws -> CodedError {
        try #require(#expect(throws: CodedError.self) { try prepare(source) })
    }

    @Test(arguments: [false, true])
    func `A JPEG of height 0, which a DNL segment makes good, is to be saved once`(progressive: Bool) throws {
        let picture = TestPicture.photo(width: 64, height: 48)
        var source = try picture.jpeg(progressive: progressive)
        let frame = try #require(source.offset(ofMarker: progressive ? 0xC2 : 0xC0))
        source.replaceSubrange(frame + 5..<frame + 7, with: [0, 0])
        // After the first scan: DNL, length 4, the height (ITU-T T.81, B.2.5).
        source.insert(contentsOf: [0xFF, 0xDC, 0, 4] + bigEndian(48, bytes: 2), at: source.count - 2)
        let error = try self.error(of: source)
        #expect(error.code == .imageUnsupportedCoding && error.kind == .input)
        #expect(error.message.text().contains("height 0") && error.message.text().contains("DNL"))
        #expect(error.message.text().contains("save it once as JPEG"))
    }

    @Test func `A JPEG of width 0 is damaged`() throws {
        var source = try TestPicture.photo(width: 64, height: 48).jpeg()
        let frame = try #require(source.offset(ofMarker: 0xC0))
        source.replaceSubrange(frame + 7..<frame + 9, with: [0, 0])
        #expect(try self.error(of: source).code == .imageCorrupt)
    }

    @Test func `The PNG that iPhone apps hold is named, and to be exported as JPEG`() throws {
        let png = TestPicture.photo(width: 64, height: 48).png()
        let source = Array(png[..<8]) + TestPNG.chunk("CgBI", [0x50, 0, 0x20, 0x02]) + Array(png[8...])
        let error = try self.error(of: source)
        #expect(error.code == .imageUnsupportedCoding && error.kind == .input)
        #expect(error.message.text().contains("CgBI") && error.message.text().contains("export the photo as JPEG"))
    }

    @Test func `A JPEG of twelve bits is to be saved as a baseline JPEG`() throws {
        var source = try TestPicture.photo(width: 64, height: 48).jpeg()
        source[try #require(source.offset(ofMarker: 0xC0)) + 4] = 12
        let error = try self.error(of: source)
        #expect(error.code == .imageUnsupportedCoding)
        #expect(error.message.text().contains("baseline JPEG"))
    }
}
