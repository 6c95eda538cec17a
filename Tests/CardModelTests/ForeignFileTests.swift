import Foundation
import Testing

@testable import CardModel

/// Files that hold something else than they should, named by what they begin with.
@Suite struct ForeignFileTests {
    @Test(arguments: [("[Content_Types].xml", "an office document"), ("front.jpg", "an archive")])
    func `A workbook is an office document, though it is packed as an archive is`(entry: String, expected: String) {
        let head = Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 0, count: 26) + Array(entry.utf8)
        #expect(ForeignFile.message(head).text().contains(expected))
    }

    @Test(
        arguments: [
            ([0x30, 0x82, 0x09, 0x11, 0x02, 0x01, 0x03, 0x30, 0x82], true, "PKCS#12"),
            ([0x30, 0x82, 0x04, 0xA4, 0x02, 0x01, 0x00, 0x02, 0x82], true, "DER"),
            ([0x30, 0x82, 0x03, 0x05, 0x30, 0x82, 0x01, 0xED, 0xA0], false, "DER"),
            (Array("-----BEGIN ENCRYPTED PRIVATE KEY-----".utf8), true, "passphrase"),
        ] as [([UInt8], Bool, String)]
    )
    func `A key or certificate in another form is named, with the command that makes PEM of it`(
        bytes: [UInt8],
        isKey: Bool,
        expected: String
    ) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(bytes).write(to: file)
        let text = try #require(PEMFile(path: file.path).otherKind(isKey: isKey)).text()
        #expect(text.contains(expected) && text.contains("openssl "), "\(text)")
    }

    @Test func `A mark of UTF-8 before PEM is passed over`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("\u{FEFF}-----BEGIN CERTIFICATE-----".utf8).write(to: file)
        let pem = PEMFile(path: file.path)
        #expect(pem.bytes.first == UInt8(ascii: "-") && pem.otherKind(isKey: false) == nil)
    }
}
