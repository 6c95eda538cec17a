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

    @Test(arguments: Self.signatures)
    func `The first bytes tell the format, and one that cannot be read is refused with a message that names it`(
        bytes: [UInt8],
        format: ImageFormat
    ) throws {
        #expect(ImageFormat.sniff(bytes) == format)
        for count in 0..<bytes.count {
            let sniffed = ImageFormat.sniff(bytes.prefix(count))
            #expect(sniffed == format || sniffed == .unknown || (format == .avif && sniffed == .heic))
        }
        guard !bytes.isEmpty, !format.isReadable else { return }
        let error = try #require(throws: CodedError.self) { try prepare(bytes) }
        #expect(error.code == .unsupportedFormat)
        let message = error.message.text()
        #expect((format == .unknown || message.contains(format.displayName)) && message.contains("JPEG or PNG"))
    }

    static let foreign: [(bytes: [UInt8], word: String)] = [
        ([0x50, 0x4B, 3, 4, 20, 0], "unpack it"), (Array("Rar!".utf8), "unpack it"), ([0x1F, 0x8B, 8, 0], "gunzip"),
        ([0xD0, 0xCF, 0x11, 0xE0], "office document"), (Array("/9j/4AAQSkZJRg".utf8), "Base64"),
        (Array("data:image/jpeg;base64,/9j/".utf8), "Base64"), (Array("\r\n<!DOCTYPE html>".utf8), "web page"),
        ([0xEF, 0xBB, 0xBF] + Array("<?xml version".utf8), "web page"), ([UInt8](repeating: 0, count: 900), "zeros"),
        (Array("version https://git-lfs.github.com/spec/v1\n".utf8), "git lfs pull"),
        (Array("%TSD-Header-###%".utf8), "encrypted"), (ftyp("qt  "), "video"),
        (Array(String(decoding: [0xFF, 0xD8, 0xFF, 0xE0] as [UInt8], as: UTF8.self).utf8), "copied as text"),
        (Array("\u{FF}\u{D8}\u{FF}\u{E0}".utf8), "copied as text"),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0D, 0x0A, 0x1A, 0x0D, 0x0A], "copied as text"),
        (ftyp("heic", "mif1"), "Most Compatible"), (Array("%PDF-1.7".utf8), "PDF document"),
    ]

    @Test(arguments: Self.foreign) func `The words say what a file is that is no image`(bytes: [UInt8], word: String) {
        let error = #expect(throws: CodedError.self) { try prepare(bytes) }
        #expect(error?.message.text().contains(word) == true, "\(error?.message.text() ?? "")")
    }

    @Test func `A JPEG that was sent in text mode is refused with that cause, a cut one is not`() throws {
        let whole = Data(try Fixture.content("orientations/mosaic-1.jpg"))
        let text = whole.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
        let error = #expect(throws: CodedError.self) { try prepare(text) }
        #expect(error?.code == .imageCorrupt)
        #expect(error?.message.text().contains("copied as text") == true)
        let cut = #expect(throws: CodedError.self) { try prepare(Array(whole.prefix(whole.count / 2))) }
        #expect(cut?.code == .imageTruncated)
    }

    @Test func `An empty file is refused as empty`() {
        #expect(refusal(of: []) == .imageEmpty)
    }
}
