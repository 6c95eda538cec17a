import CardModel
import Foundation
import Testing

@testable import CardImaging

@Suite struct ImageFormatTests {
    static let signatures: [(bytes: [UInt8], format: ImageFormat)] = [
        ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], .png),
        (ftyp("heic", "mif1", "heic"), .heic),
        (ftyp("mif1", "heic"), .heic),
        (ftyp("avif", "mif1"), .avif),
        (ftyp("mif1", "avif"), .avif),
        (ftyp("isom", "mp42"), .unknown),
        (Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBPVP8 ".utf8), .webp),
        (Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WAVEfmt ".utf8), .unknown),
        ([0x49, 0x49, 0x2A, 0, 8, 0, 0, 0], .tiff),
        ([0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8], .tiff),
        (Array("GIF89a".utf8), .gif),
        (Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [40, 0, 0, 0], .bmp),
        (Array("BM is not a bitmap, just text".utf8), .unknown),
        (Array("%PDF-1.7".utf8), .pdf),
        (Array("just text in a file named .jpg".utf8), .unknown),
        ([0xFF, 0xD8], .unknown),
        ([], .unknown),
    ]

    static func ftyp(_ brands: String...) -> [UInt8] {
        let body =
            Array("ftyp".utf8) + Array(brands[0].utf8) + [0, 0, 0, 0] + brands.dropFirst().flatMap { Array($0.utf8) }
        return bigEndian(body.count + 4, bytes: 4) + body
    }

    @Test(arguments: Self.signatures) func `The first bytes tell the format`(bytes: [UInt8], format: ImageFormat) {
        #expect(ImageFormat.sniff(bytes) == format)
    }

    @Test(arguments: Self.signatures) func `A prefix of any signature never crashes`(
        bytes: [UInt8],
        format: ImageFormat
    ) {
        for count in 0..<bytes.count {
            let sniffed = ImageFormat.sniff(bytes.prefix(count))
            #expect(sniffed == format || sniffed == .unknown || (format == .avif && sniffed == .heic))
        }
    }

    @Test(arguments: Self.signatures) func `A format that cannot be read is refused with a message that names it`(
        bytes: [UInt8],
        format: ImageFormat
    ) throws {
        guard !bytes.isEmpty, !format.isReadable else { return }
        let error = #expect(throws: CodedError.self) { try prepare(bytes) }
        #expect(error?.code == .unsupportedFormat)
        let message = try #require(error?.message.text())
        #expect(format == .unknown || message.contains(format.displayName))
        #expect(message.contains("JPEG or PNG"))
    }

    @Test func `An empty file is refused as empty`() {
        #expect(refusal(of: []) == .imageEmpty)
    }
}
