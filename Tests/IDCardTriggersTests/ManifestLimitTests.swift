import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTriggers
import Testing

/// How much of a manifest is read before it is refused.
@Suite struct ManifestLimitTests {
    private static func error(_ name: String, _ text: String, _ limits: BatchLimits) throws -> BatchSourceError {
        let folder = try TemporaryFolder()
        try folder.write(name, text: text)
        return try #require(throws: BatchSourceError.self) {
            try Listing(folder, paths: [], manifest: folder[name], options: ImageRules.options(limits: limits))
        }
    }

    @Test(
        "What follows the last row that is allowed is not read any more",
        arguments: [
            ("m.csv", "path\n", "a.jpg\n", "\"a.jpg\"x\n"), ("m.jsonl", "", "{\"path\": \"a.jpg\"}\n", "no JSON\n"),
        ]
    )
    func rows(_ name: String, _ head: String, _ row: String, _ broken: String) throws {
        var limits = BatchLimits(inputs: 10)
        limits.recordBytes = 100
        let rows = head + String(repeating: row, count: 40)
        #expect(try Self.error(name, rows + broken, limits).code == .tooManyInputs)
        limits.inputs = 100
        let error = try Self.error(name, rows + broken, limits)
        #expect(error.code == .manifestInvalid)
        #expect(error.message.contains("row \(name == "m.csv" ? 42 : 41) "))
    }

    @Test(
        "A row with more bytes than allowed is an error that names it",
        arguments: [
            ("m.csv", "path\na.jpg\n\"b\n\n\n.jpg\"\n", "x"), ("m.csv", "path\ra.jpg\rb.jpg\r", "x"),
            ("m.jsonl", "{\"path\": \"a\"}\n\n\n", "{\"path\": "),
        ]
    )
    func rowBytes(_ name: String, _ head: String, _ start: String) throws {
        var limits = BatchLimits()
        limits.recordBytes = 20
        let error = try Self.error(name, head + start + String(repeating: "x", count: 30), limits)
        #expect(error.code == .manifestInvalid)
        #expect(error.message.contains("row 4 of the manifest has more than 20 bytes"))
    }

    @Test("A large manifest of JSON lines, read in two halves, is what it is read in one")
    func halves() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.jpg")
        let row = { (number: Int) in "{\"path\": \"a.jpg\", \"business_no\": \"L-\(number)\"}\n" }
        let lines = (0..<2000).map { $0.isMultiple(of: 5) ? "\n" + row($0) : row($0) }
        let text = lines.joined()
        #expect(text.utf8.count > 2 * 32 << 10)
        try folder.write("m.jsonl", text: text)
        let listing = try Listing(folder, paths: [], manifest: folder["m.jsonl"])
        #expect(listing.metadata.map(\.businessNumber.rawValue) == (0..<2000).map { "L-\($0)" })

        // 2,400 lines with the blank ones; what comes first is told, wherever the halves meet.
        let roomy = BatchLimits(inputs: 2001)
        #expect(try Self.error("m.jsonl", text + "no JSON\n", roomy).message.contains("row 2401 "))
        #expect(try Self.error("m.jsonl", text + row(2000) + "no JSON\n", roomy).code == .tooManyInputs)
        #expect(try Self.error("m.jsonl", "no JSON\n" + text + "no JSON\n", roomy).message.contains("row 1 "))
        for inputs in [1, 999, 1000, 1001, 1999] {
            let error = try Self.error("m.jsonl", text, BatchLimits(inputs: inputs))
            #expect(error.code == .tooManyInputs && error.message.contains("\(inputs)"))
            #expect(try Self.error("m.jsonl", text + "no JSON\n", BatchLimits(inputs: inputs)).code == .tooManyInputs)
        }
        // One line without an end has no second half.
        let long = "{\"path\": \"" + String(repeating: "a", count: 40 << 10)
        var limits = BatchLimits()
        limits.recordBytes = 100 << 10
        #expect(try Self.error("m.jsonl", long, limits).message.contains("row 1 "))
    }

    @Test("Of thousands of rows, looked at in halves, each input is listed once and in its place")
    func manyRows() throws {
        let folder = try TemporaryFolder()
        for number in 0..<300 { try folder.write("\(number).jpg") }
        try folder.link("link.jpg", to: folder["0.jpg"])
        let name = { (row: Int) in row % 50 == 7 ? "gone-\(row).jpg" : "\(row % 300).jpg" }
        let rows = 0..<9000
        // Then what was named before: by the same row, and by a link to its file.
        let text = (rows.map { "\(name($0)),L-\($0)" } + ["8999.jpg,L-8999", "299.jpg,L-8999", "link.jpg,L-0"])
            .joined(separator: "\n")
        try folder.write("m.csv", text: "path,business_no\n" + text)
        let listing = try Listing(folder, paths: [], manifest: folder["m.csv"])
        let expected = rows.map { row in
            row % 50 == 7 ? "refuse source_unreadable \(name(row))" : "take L-\(row) \(name(row))"
        }
        #expect(listing.lines == expected + ["refuse source_unreadable 8999.jpg"])
    }

    @Test("Rows are the same however the manifest is cut to be read", arguments: [32, 33, 40, 64, 1000])
    func pieces(limit: Int) throws {
        let folder = try TemporaryFolder()
        var text = "path,business_no,expected_name\r\n"
        for number in 0..<50 {
            try folder.write("\(number).jpg")
            text += "\(number).jpg,L\(number)"
            text += number.isMultiple(of: 3) ? ",\"a, \"\"b\"\r\n" : "\n"
            if number.isMultiple(of: 7) { text += "\n" }
        }
        try folder.write("m.csv", text: text)
        var limits = BatchLimits(inputs: 50)
        limits.recordBytes = limit
        let options = ImageRules.options(limits: limits)
        let listing = try Listing(folder, paths: [], manifest: folder["m.csv"], options: options)
        #expect(listing.metadata.map(\.businessNumber.rawValue) == (0..<50).map { "L\($0)" })
        #expect(listing.metadata.count { $0.expectedName?.reveal() == "a, \"b" } == 17)
    }
}
