import Foundation
import MultipartForm
import Testing

@Suite("A guessed media type")
struct MediaTypeTests {
    private static func ftyp(_ brands: String...) -> Data {
        let size = UInt8(16 + 4 * (brands.count - 1))
        return Data([0, 0, 0, size]) + Data("ftyp\(brands[0])".utf8) + Data([0, 0, 0, 0])
            + Data(brands.dropFirst().joined().utf8) + Data([0, 0, 0, 8]) + Data("metaheic".utf8)
    }

    private static func bitmap(_ header: UInt8) -> Data {
        Data("BM".utf8) + Data([70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, header, 0, 0, 0, 1, 0])
    }

    static let contents: [(Data, String)] = [
        (Data([0xFF, 0xD8, 0xFF, 0xE0]), "image/jpeg"), (Data([0xFF, 0xD8, 0xFF]), "image/jpeg"),
        (Data([0x89]) + Data("PNG\r\n\u{1A}\n".utf8), "image/png"),
        (Data("GIF87a".utf8), "image/gif"), (Data("GIF89a...".utf8), "image/gif"),
        (Data("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8), "image/webp"),
        (ftyp("heic", "mif1"), "image/heic"), (ftyp("heix"), "image/heic"), (ftyp("hevc"), "image/heic-sequence"),
        (ftyp("mif1", "heic"), "image/heic"), (ftyp("mif1", "avif"), "image/avif"), (ftyp("mif1"), "image/heif"),
        (ftyp("msf1"), "image/heif-sequence"), (ftyp("avif", "mif1"), "image/avif"), (ftyp("avis"), "image/avif"),
        (bitmap(40), "image/bmp"), (bitmap(124), "image/bmp"), (bitmap(12), "image/bmp"),
        (Data("II*\u{0}".utf8), "image/tiff"), (Data("MM\u{0}*".utf8), "image/tiff"),
        (Data("II+\u{0}\u{8}\u{0}".utf8), "image/tiff"), (Data("%PDF-1.7".utf8), "application/pdf"),
        (Data("PK\u{3}\u{4}".utf8), "application/zip"), (Data("PK\u{5}\u{6}".utf8), "application/zip"),
        (Data([0x1F, 0x8B, 0x08]), "application/gzip"),
    ]

    @Test("is that of the content, whatever the name says", arguments: Self.contents)
    func content(content: Data, expected: String) {
        for filename in [nil, "a.txt", "a", "a.jpg", "a.HEIC"] {
            #expect(MediaType.guess(content: content, filename: filename).description == expected)
        }
    }

    @Test("of a HEIC named .jpg is image/heic, and of a JPEG named .png image/jpeg")
    func misnamed() {
        #expect(MediaType.guess(content: Self.ftyp("heic"), filename: "photo.jpg").description == "image/heic")
        #expect(MediaType.guess(content: Data([0xFF, 0xD8, 0xFF]), filename: "a.png").description == "image/jpeg")
    }

    @Test(
        "is that of the name where the content proves nothing",
        arguments: [
            ("a.jpg", "image/jpeg"), ("a.JPEG", "image/jpeg"), ("a.b.png", "image/png"), ("a.heic", "image/heic"),
            ("a.json", "application/json"), ("a.csv", "text/csv"), ("C:\\dir.png\\a.xml", "application/xml"),
            ("a", "application/octet-stream"), (".jpg", "application/octet-stream"), ("a.", "application/octet-stream"),
            ("a.exe", "application/octet-stream"), ("jpg", "application/octet-stream"),
            ("dir.jpg/a", "application/octet-stream"), ("", "application/octet-stream"),
        ]
    )
    func name(filename: String, expected: String) {
        let contents = [
            Data(), Data("plain".utf8), Data([0xFF, 0xD8]), Data("RIFF\u{1}\u{2}\u{3}\u{4}WAVE".utf8), Data("BM".utf8),
            Self.bitmap(41), Data("BM, a text".utf8) + Data(count: 30), Data("GIF88a".utf8), Data("....ftypisom".utf8),
            Self.ftyp("isom", "mp42"), Data("II".utf8), Data("%PDF".utf8), Data("PK".utf8), Data("{\"a\":1}".utf8),
        ]
        for content in contents {
            #expect(MediaType.guess(content: content, filename: filename).description == expected)
        }
    }

    @Test("of a ZIP file is a document's when the name says which")
    func documents() {
        let zip = Data("PK\u{3}\u{4}".utf8)
        #expect(MediaType.guess(content: zip, filename: "a.docx").description.hasSuffix("wordprocessingml.document"))
        #expect(MediaType.guess(content: zip, filename: "a.jpg").description == "application/zip")
        #expect(MediaType.guess(content: Data([0xFF, 0xD8, 0xFF]), filename: "a.docx").description == "image/jpeg")
    }

    @Test("takes slices and arrays, and reads no further than the first bytes")
    func sources() {
        let padded = Data([1, 2, 0xFF, 0xD8, 0xFF, 0xE0])
        #expect(MediaType.guess(content: padded[2...]).description == "image/jpeg")
        #expect(MediaType.guess(content: [UInt8]([0xFF, 0xD8, 0xFF])).description == "image/jpeg")
        #expect(MediaType.guess(content: Data()) == .octetStream)
    }

    @Test("is given to a part without a content type: from bytes, from a file, and by the name if there is none")
    func parts() throws {
        let folder = try ScratchFolder()
        let heic = Self.ftyp("heic") + noise(1000)
        let path = try folder.file("photo.jpg", heic)
        func type(_ content: MultipartForm.Content, _ filename: String) -> String? {
            MultipartForm.Part.file(content, name: "f", filename: filename).contentType
        }
        #expect(type(.bytes(heic), "photo.jpg") == "image/heic")
        #expect(type(.file(path: path, length: UInt64(heic.count)), "photo.jpg") == "image/heic")
        #expect(type(.file(path: path, length: 3), "photo.jpg") == "image/jpeg", "the file is not as described")
        #expect(type(.file(path: path + "-none", length: 3), "photo.png") == "image/png")
        #expect(type(.bytes(Data()), "photo") == "application/octet-stream")
        let part = MultipartForm.Part.file(.bytes(heic), name: "f", filename: "a.jpg", contentType: "image/jpeg")
        #expect(part.contentType == "image/jpeg")
    }
}
