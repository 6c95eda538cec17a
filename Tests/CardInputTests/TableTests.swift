import CardModel
import Foundation
import Testing

@testable import CardInput

/// What spreadsheets and scripts make of a CSV manifest.
@Suite struct TableTests {
    private let folder = TemporaryFolder()

    private static let text = "path,business_no,expected_name\r\n照片/a.jpg,L-1,王小明\r\n"

    private static func utf16(_ order: String.Encoding) throws -> [UInt8] {
        [UInt8](try #require(("\u{FEFF}" + Self.text).data(using: order)))
    }

    private static func lines(_ bytes: [UInt8]) throws -> (lines: [String], names: [String?]) {
        let folder = TemporaryFolder()
        try folder.write("照片/a.jpg")
        try folder.write("m.csv", bytes: bytes)
        let listing = try Listing(folder, paths: [], manifest: folder["m.csv"])
        return (listing.lines, listing.metadata.map { $0.expectedName?.reveal() })
    }

    @Test func `UTF-8, UTF-16 and GB18030 say the same`() throws {
        // 照片, 王小明 in GB18030.
        let gb =
            Array("path,business_no,expected_name\n".utf8) + [0xD5, 0xD5, 0xC6, 0xAC] + Array("/a.jpg,L-1,".utf8)
            + [0xCD, 0xF5, 0xD0, 0xA1, 0xC3, 0xF7]
        let forms: [[UInt8]] = [
            Array(Self.text.utf8), [0xEF, 0xBB, 0xBF] + Array(Self.text.utf8), try Self.utf16(.utf16LittleEndian),
            try Self.utf16(.utf16BigEndian), gb,
        ]
        for bytes in forms {
            let (lines, names) = try Self.lines(bytes)
            #expect(lines == ["take L-1 照片/a.jpg"] && names == ["王小明"], "\(bytes.prefix(8))")
        }
    }

    @Test(arguments: [
        [0x70 as UInt8, 0x61, 0x74, 0x68, 0x0A, 0xFF], [0xFF, 0xFE, 0x70], [0xFE, 0xFF, 0xD8, 0x00],
        [0x70, 0x0A, 0x81],
    ])
    func `Bytes of no known encoding are an error that says how to save the table`(bytes: [UInt8]) throws {
        let error = try #require(throws: CodedError.self) { try Self.lines(bytes) }
        #expect(error.code == .manifestInvalid)
        #expect(error.message.text().contains("CSV UTF-8"))
    }

    @Test(arguments: [
        // Columns that Excel adds at the end.
        ("path,business_no,user_no,,\na.jpg,L,U,,\n", "a.jpg", "U"),
        ("path,business_no,user_no,,\na.jpg,L,U\n", "a.jpg", "U"),
        ("path,business_no,user_no\na.jpg,L,U,,,\n", "a.jpg", "U"),
        ("path,business_no,user_no, \na.jpg,L,U, \n", "a.jpg", "U"),
        ("path,business_no,user_no,\"\"\na.jpg,L,U,\" \"\n", "a.jpg", "U"),
        // Blanks around names and values.
        (" path , business_no ,user_no\n a.jpg , L ,\tU\t\n", "a.jpg", "U"),
        ("Path,Business_No,USER_NO\na.jpg,L,U\n", "a.jpg", "U"),
        ("path,business_no,user_no\n\u{3000}a.jpg\u{A0},\u{3000}L\u{3000},U \r\n", "a.jpg", "U"),
        ("path,business_no,user_no\n\"a.jpg\" , \"L\" ,\"U\"\n", "a.jpg", "U"),
        ("path,business_no,user_no\na b.jpg,L,U", "a b.jpg", "U"),
        // Inside of quotes they are meant.
        ("path,business_no,user_no\n\" a.jpg \",L,U\n", " a.jpg ", "U"),
        ("path,business_no,user_no\n\"a,\n.jpg\",L,\"U \"\n", "a,\n.jpg", "U"),
        // Rows without anything, before and after.
        ("\n,,\npath,business_no,user_no\n,,\n \na.jpg,L,U\n,,,,\n", "a.jpg", "U"),
    ])
    func `Harmless blanks change nothing`(text: String, path: String, user: String) throws {
        try self.folder.write("a.jpg", " a.jpg ", "a b.jpg", "a,\n.jpg")
        try self.folder.write("m.csv", text: text)
        let listing = try self.folder.listing(manifest: "m.csv")
        #expect(listing.lines == ["take L \(path)"])
        #expect(listing.metadata.first?.userNumber?.reveal() == user)
    }

    @Test(arguments: [
        "1.23457E+15", "4,40524E+17", "123.0", "#N/A", "#REF!", "####", "nan", "NaN", "null", "None", "undefined",
        "[object Object]", "=00123", "'00123", "N/A", "-", "无", "(blank)",
    ])
    func `What a spreadsheet leaves of a number is refused from every source`(damage: String) throws {
        try self.folder.write("c/L/row.jpg", "c/L/line.jpg", "c/L/sidecar.jpg", "c/L/user.jpg")
        try self.folder.write("c/L/sidecar.jpg.json", text: #"{"business_no": "\#(damage)"}"#)
        try self.folder.write("c/L/user.jpg.json", text: #"{"user_no": "\#(damage)"}"#)
        try self.folder.write("c/m.csv", text: "path,business_no\nL/row.jpg,\"\(damage)\"\n")
        try self.folder.write("c/m.jsonl", text: #"{"path": "L/line.jpg", "business_no": "\#(damage)"}"#)
        let csv = try self.folder.listing("c/L/", manifest: "c/m.csv")
        let lines = try self.folder.listing(manifest: "c/m.jsonl")
        let all = csv.list.refused + lines.list.refused
        // The root lends no number to what no row or sidecar names.
        let refused = all.filter { $0.error.code != .businessNumberMissing }
        let codes = Dictionary(grouping: refused) { $0.name.reveal().split(separator: "/").last.map(String.init) ?? "" }
        for name in ["row.jpg", "line.jpg", "sidecar.jpg"] {
            #expect(codes[name]?.map(\.error.code) == [.businessNumberInvalid], "\(name)")
        }
        #expect(codes["user.jpg"]?.map(\.error.code) == [.fieldInvalid])
        #expect(refused.count == 4 && refused.allSatisfy { "\($0.error.message)".contains("as text") })
        guard !damage.contains("/") else { return }
        try self.folder.write("d/\(damage)/folder.jpg")
        #expect(try self.folder.listing("d").lines.contains("refuse business_no_invalid d/\(damage)/folder.jpg"))
    }
}
