import Foundation

/// A workbook of one sheet (ECMA-376, Office Open XML) that is written row by row: texts are text, times are numbers.
struct Workbook {
    /// How many rows a sheet has below the first one.
    static let rowLimit = 1_048_575

    private var zip = ZipWriter()
    var rows = 0
    private let columns: Int

    /// The styles of cells, by their place in the part of the styles.
    private enum Style: Int { case text = 1, time, title }

    /// Begins a workbook whose first row, with the titles, is bold and does not scroll.
    init(_ titles: [String]) {
        self.columns = titles.count
        for (name, text) in Self.parts {
            if name != Self.parts.first?.0 { self.zip.finishEntry() }
            self.zip.begin(name)
            self.zip.write("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n" + text)
        }
        self.write(titles.map { .text($0) }, text: .title)
    }

    /// Removes and returns the bytes that are ready.
    mutating func drain() -> [UInt8] { self.zip.drain() }

    /// Adds a row.
    ///
    /// - Throws: `file_not_written` if a sheet, or a ZIP archive without 64-bit sizes, holds no more.
    mutating func add(_ cells: [TableCell?]) throws(CodedError) {
        guard self.rows <= Self.rowLimit, self.zip.count < 4_000_000_000 else {
            throw CodedError(ReasonCode(rawValue: "file_not_written"), .input, .tableTooLong(Self.rowLimit))
        }
        self.write(cells, text: .text)
    }

    mutating func finish() {
        let last = Self.name(max(self.columns, 1) - 1) + String(self.rows)
        self.zip.write("</sheetData><autoFilter ref=\"A1:\(last)\"/></worksheet>")
        self.zip.finishEntry()
        self.zip.finish()
    }

    private mutating func write(_ cells: [TableCell?], text style: Style) {
        self.rows += 1
        var row = "<row r=\"\(self.rows)\">"
        for (column, cell) in cells.enumerated() {
            guard let cell, !cell.text.isEmpty else { continue }
            let start = "<c r=\"\(Self.name(column))\(self.rows)\" s=\""
            if case .time(let time) = cell {
                row += start + "\(Style.time.rawValue)\"><v>\(time.localDayNumber)</v></c>"
            } else {
                let text = Self.escaped(cell.text)
                row += start + "\(style.rawValue)\" t=\"inlineStr\"><is><t xml:space=\"preserve\">\(text)</t></is></c>"
            }
        }
        self.zip.write(row + "</row>")
    }

    /// The letter of a column; no table has more than 26.
    private static func name(_ column: Int) -> String { String(UnicodeScalar(UInt8(ascii: "A") + UInt8(column))) }

    private static func escaped(_ text: String) -> String {
        let plain = text.plain
        guard plain.utf8.contains(where: { "&<>_".utf8.contains($0) }) else { return plain }
        // `_x000D_` would be read as the character of that number.
        return plain.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("_x", with: "_x005F_x")
    }

    // MARK: The parts

    private static let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    private static let package = "http://schemas.openxmlformats.org/package/2006"
    private static let document = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    private static let type = "application/vnd.openxmlformats-officedocument.spreadsheetml"

    /// The name and the text of each part; the last one is the sheet, to which the rows are added.
    // swift-format-ignore
    private static let parts = [
        ("[Content_Types].xml", """
            <Types xmlns="\(package)/content-types"><Default Extension="xml" ContentType="application/xml"/>\
            <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
            <Override PartName="/xl/workbook.xml" ContentType="\(type).sheet.main+xml"/>\
            <Override PartName="/xl/styles.xml" ContentType="\(type).styles+xml"/>\
            <Override PartName="/xl/worksheets/sheet1.xml" ContentType="\(type).worksheet+xml"/></Types>
            """),
        ("_rels/.rels", """
            <Relationships xmlns="\(package)/relationships"><Relationship Id="rId1" Type="\(document)/officeDocument" \
            Target="xl/workbook.xml"/></Relationships>
            """),
        ("xl/workbook.xml", """
            <workbook xmlns="\(main)" xmlns:r="\(document)"><bookViews><workbookView/></bookViews>\
            <sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>
            """),
        ("xl/_rels/workbook.xml.rels", """
            <Relationships xmlns="\(package)/relationships"><Relationship Id="rId1" Type="\(document)/worksheet" \
            Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="\(document)/styles" Target="styles.xml"/></Relationships>
            """),
        ("xl/styles.xml", """
            <styleSheet xmlns="\(main)"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/></numFmts>\
            <fonts count="2"><font><sz val="11"/></font><font><b/><sz val="11"/></font></fonts><fills count="2"><fill>\
            <patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1">\
            <border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>\
            <cellXfs count="4"><xf/><xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/>\
            <xf numFmtId="49" fontId="1" applyNumberFormat="1" applyFont="1"/></cellXfs>\
            <cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>
            """),
        ("xl/worksheets/sheet1.xml", """
            <worksheet xmlns="\(main)"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" \
            activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="26" width="24" \
            customWidth="1"/></cols><sheetData>
            """),
    ]
}

extension Timestamp {
    /// The days since 1899-12-30 that the clock on the wall shows, in whole minutes: how spreadsheet programs store a time.
    fileprivate var localDayNumber: Double {
        var seconds = time_t(self.millisecondsSinceEpoch.flooredQuotient(by: 1000))
        var parts = tm()
        localtime_r(&seconds, &parts)
        return Double(Int64(seconds + parts.tm_gmtoff).flooredQuotient(by: 60)) / 1440 + 25_569
    }
}
