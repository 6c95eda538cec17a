import Foundation
import SwiftCSV

/// Reads a manifest in CSV (RFC 4180) whose first row names the columns; columns are separated by commas, blank rows
/// are passed over.
enum CSVManifest {
    /// Reads all rows; the first row below the names is row 2, as in a spreadsheet.
    static func rows(in data: Data) throws(BatchSourceError) -> [ManifestRow] {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw BatchSourceError(
                .manifestInvalid,
                "the manifest is not UTF-8; save it as \"CSV UTF-8\" and run again"
            )
        }
        // An open quote would silently swallow all rows after it.
        guard data.count(where: { $0 == UInt8(ascii: "\"") }).isMultiple(of: 2) else {
            throw BatchSourceError(
                .manifestInvalid,
                "the manifest has a quote that is never closed; correct it and run again"
            )
        }
        var header: [MetadataColumn]?
        var rows: [ManifestRow] = []
        for (index, fields) in try self.records(of: text).enumerated() where !fields.allSatisfy(\.isEmpty) {
            guard let columns = header else {
                header = try self.columns(named: fields)
                continue
            }
            guard fields.count <= columns.count else {
                throw Manifest.invalid(row: index + 1, "has \(fields.count) values for \(columns.count) columns")
            }
            let texts = Dictionary(zip(columns, fields)) { first, _ in first }
            rows.append(try Manifest.row(index + 1, texts: texts))
        }
        guard header != nil else { throw self.headerless }
        return rows
    }

    private static func records(of text: String) throws(BatchSourceError) -> [[String]] {
        var records: [[String]] = []
        do {
            // No row is wanted from the initialiser: it would fill short rows up, and hide long ones.
            let csv = try CSV<Enumerated>(string: text, delimiter: .comma, loadColumns: false, rowLimit: 0)
            try csv.enumerateAsArray(startAt: 0, rowLimit: nil) { records.append($0) }
        } catch {
            // The parser's own words quote the manifest, which is personal.
            throw Manifest.invalid(row: records.count + 1, "has a text after a closing quote")
        }
        return records
    }

    private static func columns(named fields: [String]) throws(BatchSourceError) -> [MetadataColumn] {
        let names = fields.map { $0.filter { !$0.isWhitespace } }
        let columns = names.compactMap { MetadataColumn(rawValue: $0) }
        // Without a column `path` the first row may be data, and data is not quoted in a message.
        guard columns.contains(.path) else { throw self.headerless }
        guard columns.count == names.count else {
            let unknown = names.filter { MetadataColumn(rawValue: $0) == nil }
            throw BatchSourceError(
                .manifestInvalid,
                """
                the manifest has columns that are not known: \(MetadataColumn.describe(unknown: unknown)); \
                known are \(MetadataColumn.list)
                """
            )
        }
        guard Set(columns).count == columns.count else {
            throw BatchSourceError(.manifestInvalid, "the manifest names a column twice; correct its first row")
        }
        return columns
    }

    private static var headerless: BatchSourceError {
        BatchSourceError(
            .manifestInvalid,
            """
            the first row of the manifest must name the columns, separated by commas, path among them; \
            known are \(MetadataColumn.list)
            """
        )
    }
}
