import CImaging
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

    @Test(arguments: [false, true])
    func `an arithmetic-coded JPEG is refused, whole or cut`(progressive: Bool) throws {
        let whole = try TestPicture.photo(width: 64, height: 48).jpeg(
            sampling: .half420,
            progressive: progressive,
            arithmetic: true
        )
        for source in [whole, whole.prefix(whole.count / 2) + [0xFF, 0xD9]] {
            let error = try self.error(of: source)
            #expect(error.code == .imageUnsupportedCoding && error.kind == .input)
            #expect(error.message.text().contains("arithmetic coding"))
            #expect(error.message.text().contains("save it as a baseline JPEG"))
        }
    }

    @Test func `no call reads an arithmetic-coded JPEG`() throws {
        let source = try TestPicture.photo(width: 64, height: 48).jpeg(sampling: .half420, arithmetic: true)
        var (header, limits) = (idci_jpeg_header(), idci_limits())
        let unsupported = IDCI_UNSUPPORTED
        #expect(idci_jpeg_read_header(source, source.count, &limits, &header, nil, 0) == unsupported)
        #expect(idci_jpeg_decode(source, source.count, &limits, 8, nil, 0, nil, 0) == unsupported)
        var reduction = idci_reduction()
        (reduction.width, reduction.height, reduction.scale, reduction.orientation) = (64, 48, 8, 1)
        (reduction.target_width, reduction.target_height) = (64, 48)
        let planes = try #require(idci_planes_create(&reduction))
        defer { idci_planes_destroy(planes) }
        #expect(idci_jpeg_decode_planes(source, source.count, &limits, planes, nil, 0) == unsupported)
        var encoding = idci_jpeg_encoding()
        encoding.quality = 80
        var (out, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        #expect(
            idci_jpeg_requantize(source, source.count, &limits, 1, &encoding, &out, &count, nil, 0) == unsupported
        )
    }

    @Test func `A JPEG of twelve bits is to be saved as a baseline JPEG`() throws {
        var source = try TestPicture.photo(width: 64, height: 48).jpeg()
        source[try #require(source.offset(ofMarker: 0xC0)) + 4] = 12
        let error = try self.error(of: source)
        #expect(error.code == .imageUnsupportedCoding)
        #expect(error.message.text().contains("baseline JPEG"))
    }
}
