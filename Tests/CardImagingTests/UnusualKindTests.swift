import CImaging
import CardModel
import Foundation
import Testing

@testable import CardImaging

/// Kinds of files that are refused although nothing is wrong with them: the words say what they are and what to do.
@Suite struct UnusualKindTests {
    private static let picture = TestPicture.photo(width: 64, height: 48)

    /// A file of this kind, and words of its refusal.
    private static func kinds() throws -> [(source: [UInt8], words: [String])] {
        var kinds: [(source: [UInt8], words: [String])] = []
        for progressive in [false, true] {
            // Its height is 0; after the first scan DNL, length 4, makes it good (ITU-T T.81, B.2.5).
            var source = try self.picture.jpeg(progressive: progressive)
            let frame = try #require(source.offset(ofMarker: progressive ? 0xC2 : 0xC0))
            source.replaceSubrange(frame + 5..<frame + 7, with: [0, 0])
            source.insert(contentsOf: [0xFF, 0xDC, 0, 4] + bigEndian(48, bytes: 2), at: source.count - 2)
            kinds.append((source, ["gives its height only after the image data", "DNL", "in an image program"]))
            // Arithmetic coding, whole or cut.
            let whole = try self.picture.jpeg(sampling: .half420, progressive: progressive, arithmetic: true)
            for source in [whole, whole.prefix(whole.count / 2) + [0xFF, 0xD9]] {
                kinds.append((source, ["arithmetic coding", "save it as a baseline JPEG"]))
            }
        }
        // Twelve bits.
        var deep = try self.picture.jpeg()
        deep[try #require(deep.offset(ofMarker: 0xC0)) + 4] = 12
        kinds.append((deep, ["baseline JPEG"]))
        // The PNG that iPhone apps hold.
        let png = self.picture.png()
        let source = Array(png[..<8]) + TestPNG.chunk("CgBI", [0x50, 0, 0x20, 0x02]) + Array(png[8...])
        return kinds + [(source, ["CgBI", "export the photo as JPEG"])]
    }

    @Test func `A kind that is not read is named, with what to do`() throws {
        for (source, words) in try Self.kinds() {
            let error = try #require(throws: CodedError.self) { try prepare(source) }
            #expect(error.code == .imageUnsupportedCoding && error.kind == .input, "\(words)")
            for word in words { #expect(error.message.text().contains(word)) }
        }
    }

    @Test func `A JPEG of width 0 is damaged`() throws {
        var source = try Self.picture.jpeg()
        let frame = try #require(source.offset(ofMarker: 0xC0))
        source.replaceSubrange(frame + 7..<frame + 9, with: [0, 0])
        #expect(refusal(of: source) == .imageCorrupt)
    }

    @Test func `no call reads an arithmetic-coded JPEG`() throws {
        let source = try TestPicture.photo(width: 64, height: 48).jpeg(sampling: .half420, arithmetic: true)
        var (header, limits) = (idci_header(), idci_limits())
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
        #expect(idci_jpeg_requantize(source, source.count, &limits, 1, &encoding, &out, &count, nil, 0) == unsupported)
    }
}
