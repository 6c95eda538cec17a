import CardModel
import CardStore
import Foundation

/// The table of a run for spreadsheet programs (`--report`): a row for each input, in a new file.
struct RunTable {
    private let path: String
    let file: RootFiles

    /// Makes the file, before the run begins: who names one that is there learns it while nothing is done.
    ///
    /// - Throws: `file_not_written`, of kind `usage` if the file is there, else `input`.
    init(_ name: String, for options: GlobalOptions) throws {
        self.path = URL(filePath: name).path
        let isThere = access(self.path, F_OK) == 0
        do { self.file = try RootFiles([self.path], always: true, for: options) } catch let error as CodedError {
            throw CodedError(error.code, isThere ? .usage : error.kind == .storage ? .input : error.kind, error.message)
        }
    }

    /// Writes a row for each line; the access log gets its line before.
    func write(_ lines: [RunLine], noting store: CardStore) async throws {
        try await store.noteList(to: SystemUser.origin(of: "run --report, rows: \(lines.count)"), now: .now)
        let rows = [CSVText.byteOrderMark + CSVText.row(RunLine.columns)] + lines.map { CSVText.row($0.cells) }
        var rest: Data? = Data(rows.map { $0 + "\n" }.joined().utf8)
        try self.file.fill(self.path) { rest.take() }
    }
}
