package import Foundation

/// A value in a table for people.
package enum TableCell: Sendable {
    case text(String)
    case time(Timestamp)
    /// A code or an id, the same in each language.
    case code(String)
    case sides([CardSide])

    /// The value in the language of the reader; a time in the local zone, which the title of its column names.
    package var text: String {
        switch self {
        case .text(let text), .code(let text): text
        case .time(let time): String(time.local.prefix(16))
        case .sides(let sides): sides.isEmpty ? "" : Message.tableSides(sides).text()
        }
    }
}

/// A column of a table; the list of all columns makes each form of the table.
package struct TableColumn<Row> {
    package let title: Message
    package let cell: (Row) -> TableCell?

    package init(_ title: Message, _ cell: @escaping (Row) -> TableCell?) { (self.title, self.cell) = (title, cell) }
}

/// A form of a table as a file, by its suffix.
package enum TableFormat: String, Sendable { case csv, xlsx }

/// Writes a table row by row: it may be larger than memory.
package struct TableWriter<Row> {
    private let columns: [TableColumn<Row>]
    private var workbook: Workbook?
    private var text = ""

    package init(_ columns: [TableColumn<Row>], as format: TableFormat) {
        self.columns = columns
        let titles = columns.map { $0.title.text() }
        if format == .xlsx { self.workbook = Workbook(titles) }
        self.text = CSVText.byteOrderMark + CSVText.row(titles) + "\n"
    }

    /// - Throws: `file_not_written` if a workbook holds no more rows.
    package mutating func add(_ row: Row) throws(CodedError) {
        let cells = self.columns.map { $0.cell(row) }
        if self.workbook == nil { self.text += CSVText.row(cells.map { $0?.text ?? "" }) + "\n" }
        try self.workbook?.add(cells)
    }

    package mutating func finish() { self.workbook?.finish() }

    /// Removes and returns the bytes that are ready.
    package mutating func drain() -> Data {
        defer { self.text = "" }
        return Data(self.workbook?.drain() ?? Array(self.text.utf8))
    }
}

/// The zone of local times, for the title of their column: its name, or the difference of today.
package var localZoneName: String {
    if let name = getenv("TZ").map({ String(cString: $0) }) { return name.isEmpty ? "UTC" : name }
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/etc/localtime")
    let name = link.flatMap { $0.firstRange(of: "zoneinfo/").map { range in String(link?[range.upperBound...] ?? "") } }
    return name ?? "UTC" + Timestamp(Date()).local.suffix(6)
}
