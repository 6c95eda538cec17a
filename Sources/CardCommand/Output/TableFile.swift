import CardModel
import Foundation

/// A table for spreadsheet programs in a new file, written row by row.
struct TableFile {
    /// How many bytes are collected before they are written.
    private static let portion = 1 << 20

    private let path: String
    let files: RootFiles
    let format: TableFormat

    /// Creates the file before anything is done, so that an existing file is reported first.
    ///
    /// - Throws: `file_not_written`, of kind `usage` if the file exists, else `input`.
    init(_ name: String, as format: TableFormat? = nil, for options: GlobalOptions) throws {
        self.path = URL(filePath: name).path
        self.format = format ?? (name.lowercased().hasSuffix(".xlsx") ? .xlsx : .csv)
        let isThere = access(self.path, F_OK) == 0
        do { self.files = try RootFiles([self.path], always: true, for: options) } catch let error as CodedError {
            let kind = error.kind == .storage ? .input : error.kind
            throw CodedError(error.code, isThere ? .usage : kind, error.message)
        }
    }

    /// Writes the rows that a function adds, to the file or, without one, to standard output.
    static func write<Row>(
        _ columns: [TableColumn<Row>],
        as format: TableFormat,
        to file: TableFile?,
        _ rows: ((Row) async throws -> Void) async throws -> Void
    ) async throws {
        var writer = TableWriter(columns, as: format)
        var waiting = writer.drain()
        do {
            try await rows { row in
                try writer.add(row)
                waiting += writer.drain()
                guard waiting.count >= Self.portion else { return }
                try await Self.write(waiting, to: file)
                waiting = Data()
            }
            writer.finish()
            try await Self.write(waiting + writer.drain(), to: file)
        } catch {
            // Half a table would look like a whole one.
            file?.files.empty()
            throw error
        }
    }

    private static func write(_ bytes: Data, to file: TableFile?) async throws {
        if let file { return try file.files.write(bytes, to: file.path) }
        try Console.requireReader()
        await Console.standardOutput(bytes)
    }
}
