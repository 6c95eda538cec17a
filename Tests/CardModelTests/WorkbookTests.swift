import Foundation
import Testing

@testable import CardModel

@Suite(.timeLimit(.minutes(1))) struct WorkbookTests {
    private static let texts = [
        "0012345", "20261128000012345678", "=1+2.jpg", "a \"b\" & <c>", "中文", "a\nb", " c ", "x\u{1B}_x0041_", "",
    ]

    /// What Python's reader of ZIP archives and XML finds, with each checksum compared.
    private static func read(_ workbook: Data) throws -> [[String: [String]]] {
        let script = """
            import io, json, sys, zipfile
            from xml.etree import ElementTree
            archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
            assert archive.testzip() is None and len(archive.namelist()) == 6
            for name in archive.namelist(): ElementTree.fromstring(archive.read(name))
            space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
            sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
            rows = [{c.get("r"): [c.get("t") or "", c.get("s"), "".join(c.itertext())] for c in row} for row in sheet.iter(space + "row")]
            json.dump(rows + [{"filter": [sheet.find(space + "autoFilter").get("ref")]}], sys.stdout)
            """
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: workbook)
        try input.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode([[String: [String]]].self, from: data)
    }

    @Test func `each text is a text, each time a number, and the parts have their checksums`() throws {
        let columns = [
            TableColumn<String>(.textVerbatim("title")) { .text($0) }, TableColumn(.textVerbatim("none")) { _ in nil },
            TableColumn(.textVerbatim("time")) { _ in .time(Timestamp(millisecondsSinceEpoch: 1_796_000_399_000)) },
        ]
        var writer = TableWriter(columns, as: .xlsx)
        var data = writer.drain()
        for text in Self.texts {
            try writer.add(text)
            data += writer.drain()
        }
        writer.finish()
        data += writer.drain()
        let rows = try Self.read(data)
        #expect(
            rows.first == [
                "A1": ["inlineStr", "3", "title"], "B1": ["inlineStr", "3", "none"], "C1": ["inlineStr", "3", "time"],
            ]
        )
        for (index, text) in Self.texts.enumerated() {
            let row = rows[index + 1]
            let shown = text.replacing("\u{1B}", with: "?").replacing("_x0", with: "_x005F_x0")
            #expect(row["A\(index + 2)"] == (text.isEmpty ? nil : ["inlineStr", "1", shown]))
            let local = Timestamp(millisecondsSinceEpoch: 1_796_000_399_000).local
            let number = try #require(row["C\(index + 2)"].flatMap { Double($0[2]) })
            let minutes = Int((number.truncatingRemainder(dividingBy: 1) * 1440).rounded())
            #expect(
                local.contains(
                    " \(minutes / 60 < 10 ? "0" : "")\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60):"
                )
            )
            #expect(
                row["C\(index + 2)"]?.prefix(2) == ["", "2"] && number.rounded(.down) >= 46_355
                    && row["B\(index + 2)"] == nil
            )
        }
        #expect(rows.last == ["filter": ["A1:C\(Self.texts.count + 1)"]])
    }

    @Test func `a row longer than a block of the archive is whole`() throws {
        var workbook = Workbook(["title"])
        let long = String(repeating: "长", count: 30_000)
        try workbook.add([.text(long)])
        workbook.finish()
        #expect(try Self.read(Data(workbook.drain()))[1] == ["A2": ["inlineStr", "1", long]])
    }

    @Test func `more rows than a sheet has are refused`() throws {
        var workbook = Workbook(["title"])
        workbook.rows = Workbook.rowLimit
        try workbook.add([])
        #expect(throws: CodedError.self) { try workbook.add([]) }
    }
}
