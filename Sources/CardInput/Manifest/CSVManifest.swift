import CardModel
import Foundation
import SwiftCSV

/// Reads a manifest in CSV (RFC 4180), separated by commas, whose first row names the columns.
///
/// Blank rows are skipped, as are final columns that are empty in every row (field case F8).
enum CSVManifest {
    /// Reads all rows; the first row below the names has the number 2, as in a spreadsheet.
    ///
    /// - Throws: `CodedError` with `manifest_invalid` or `field_duplicate`.
    static func rows(in data: Data) throws(CodedError) -> [Manifest.Row] {
        if let kind = self.otherKind(of: data) { throw self.invalid(kind) }
        guard let text = TableText.decoded(data) else { throw self.invalid(.manifestEncoding) }
        // An open quote would silently swallow all rows after it.
        guard text.utf8.count(where: { $0 == UInt8(ascii: "\"") }).isMultiple(of: 2) else {
            throw self.invalid(.manifestOpenQuote)
        }
        let records = try self.records(of: self.withoutBlanks(text))
        guard let header = records.firstIndex(where: { !$0.allSatisfy(\.trimmed.isEmpty) }) else {
            throw self.headerless
        }
        let columns = try self.columns(named: records[header])
        var rows: [Manifest.Row] = []
        for (index, values) in records.enumerated().dropFirst(header + 1) where !values.allSatisfy(\.trimmed.isEmpty) {
            let count = (values.lastIndex { !$0.trimmed.isEmpty } ?? 0) + 1
            guard count <= columns.count else {
                throw Manifest.invalid(row: index + 1, .manifestTooManyValues(count, columns.count))
            }
            var record = Record()
            for (column, value) in zip(columns, values) { record.set(column, to: CSVText.text(ofCell: value)) }
            rows.append(try Manifest.Row(index + 1, record))
        }
        return rows
    }

    /// Returns the message about a file of another kind, for which messages about columns or quotes would not help.
    private static func otherKind(of data: Data) -> Message? {
        if data.starts(with: [0x50, 0x4B, 3, 4]) || data.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
            return .manifestWorkbook
        }
        let first = TableText.withoutByteOrderMark(data).first { $0 > UInt8(ascii: " ") }
        guard let first, "{[".utf8.contains(first) else { return nil }
        return .manifestJSONName
    }

    /// Removes white space at the ends of unquoted values; SwiftCSV does so at their starts, and beside quotes.
    private static func withoutBlanks(_ text: String) -> String {
        var (result, blanks, isQuoted) = ("", "", false)
        result.reserveCapacity(text.utf8.count)
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if !isQuoted, character.isWhitespace, !character.isNewline {
                blanks.append(character)
            } else {
                if isQuoted || !(character == "," || character.isNewline) { result += blanks }
                blanks = ""
                result.append(character)
            }
        }
        return result
    }

    private static func records(of text: String) throws(CodedError) -> [[String]] {
        var records: [[String]] = []
        do {
            // No rows from the initialiser: it would fill short rows, and hide long ones.
            let csv = try CSV<Enumerated>(string: text, delimiter: .comma, loadColumns: false, rowLimit: 0)
            try csv.enumerateAsArray(startAt: 0, rowLimit: nil) { records.append($0) }
        } catch {
            // The parser's message quotes the manifest, which is personal.
            throw Manifest.invalid(row: records.count + 1, .manifestStrayQuote)
        }
        return records
    }

    private static func columns(named values: [String]) throws(CodedError) -> [String] {
        let count = (values.lastIndex { !$0.trimmed.isEmpty } ?? 0) + 1
        let names = values.prefix(count).map { $0.trimmed.lowercased() }
        let columns = names.compactMap(Record.column)
        // Without a column `path` the first row may be data, and data is not quoted in a message.
        guard columns.contains("path") else { throw self.headerless }
        let unknown = names.filter { Record.column($0) == nil }
        guard unknown.isEmpty else {
            throw self.invalid(.manifestUnknownColumns(Record.shown(unknown), known: Record.names))
        }
        if let twice = columns.first(where: { name in columns.count { $0 == name } > 1 }) {
            throw self.invalid(.manifestColumnTwice(Record.bothNames(twice)), code: .fieldDuplicate)
        }
        return columns
    }

    private static func invalid(_ message: Message, code: ReasonCode = .manifestInvalid) -> CodedError {
        CodedError(code, .input, message)
    }

    private static var headerless: CodedError { self.invalid(.manifestNoHeader(Record.names)) }
}
