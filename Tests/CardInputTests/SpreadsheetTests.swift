import CardModel
import Foundation
import SystemPackage
import Testing

@testable import CardInput

/// Tables that a spreadsheet program opens and saves with its defaults.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/soffice"))
)
struct SpreadsheetTests {
    private static let numbers = [
        "0012345", "20261128000012345678", "+86-7", "1E5", "2026-11", "1/2", "贷款-7,号", "a \"b\"", "x_x0041_", "a&<b>",
    ]
    private static let files = numbers.indices.map { $0 == 0 ? "=1+2.jpg" : "照片 \($0).jpg" }

    /// Comma, double quote, UTF-8, from the first row.
    private static let form = "44,34,76,1"

    private let folder = TemporaryFolder()

    /// A table in a form, with the columns of a manifest and a time.
    private func write(_ format: TableFormat) throws {
        let columns: [TableColumn<Int>] = [
            TableColumn(.textVerbatim("path")) { .text(Self.files[$0]) },
            TableColumn(.textVerbatim("business_no")) { .code(Self.numbers[$0]) },
            TableColumn(.textVerbatim("user_no")) { .text("U-\($0)") },
        ]
        var writer = TableWriter(columns, as: format)
        var data = writer.drain()
        for row in Self.numbers.indices {
            try writer.add(row)
            data += writer.drain()
        }
        writer.finish()
        data += writer.drain()
        try data.write(to: URL(filePath: self.folder["table.\(format)"]))
    }

    /// Opens a file and saves it as CSV.
    private func save(_ name: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/soffice")
        process.arguments = [
            "--headless", "-env:UserInstallation=file://\(self.folder["office"])", "--convert-to",
            "csv:Text - txt - csv (StarCalc):\(Self.form)", "--outdir", self.folder["saved"], self.folder[name],
        ]
        // What the dialog offers for a table with a byte order mark; each column is Standard.
        if name.hasSuffix(".csv") { process.arguments?.insert("--infilter=CSV:\(Self.form)", at: 2) }
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test(arguments: [TableFormat.csv, .xlsx])
    func `a table that a person opens and saves as CSV is a manifest with the same numbers and files`(
        format: TableFormat
    ) throws {
        try self.write(format)
        try self.save("table.\(format)")
        let manifest = try Manifest(path: .init(self.folder["saved/table.csv"]), followingLinks: true)
        #expect(manifest.rows.map(\.path) == Self.files)
        let numbers = try manifest.rows.map { try $0.fields.get().businessNumber?.rawValue }
        #expect(numbers == Self.numbers)
    }
}
