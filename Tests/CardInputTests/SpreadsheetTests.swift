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

    private let folder = TemporaryFolder()

    /// A table in a form, with the columns of a manifest and a time.
    private func write(_ format: TableFormat) throws {
        let columns: [TableColumn<Int>] = [
            TableColumn(.textVerbatim("path")) { .text(Self.files[$0]) },
            TableColumn(.textVerbatim("business_no")) { .code(Self.numbers[$0]) },
            TableColumn(.textVerbatim("user_no")) { .text("U-\($0)") },
        ]
        var writer = TableWriter(columns, as: format)
        var data = writer.take()
        for row in Self.numbers.indices {
            try writer.add(row)
            data += writer.take()
        }
        writer.finish()
        data += writer.take()
        try data.write(to: URL(filePath: self.folder["table.\(format)"]))
    }

    /// What the program makes of a file.
    private func convert(_ name: String, to kind: String, into folder: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/soffice")
        process.arguments = [
            "--headless", "-env:UserInstallation=file://\(self.folder["office"])", "--convert-to", kind, "--outdir",
            self.folder[folder], self.folder[name],
        ]
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
        try self.convert("table.\(format)", to: "csv:Text - txt - csv (StarCalc):44,34,76,1", into: ".")
        let manifest = try Manifest(path: .init(self.folder["table.csv"]), followingLinks: true)
        #expect(manifest.rows.map(\.path) == Self.files)
        let numbers = try manifest.rows.map { try $0.fields.get().businessNumber?.rawValue }
        #expect(numbers == Self.numbers)
    }
}
