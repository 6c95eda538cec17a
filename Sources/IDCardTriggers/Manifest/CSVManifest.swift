import Foundation
import SwiftCSV

/// Reads a manifest in CSV (RFC 4180) whose first row names the columns; columns are separated by commas, blank rows
/// are passed over.
///
/// Piece by piece, so that a manifest that is refused for its number of rows is not in memory as a whole before.
struct CSVManifest {
    private let limits: BatchLimits
    private var header: [MetadataColumn]?
    private var rows: [ManifestRow] = []
    private var count = 0

    private init(limits: BatchLimits) {
        self.limits = limits
    }

    /// Reads all rows; the first row below the names is row 2, as in a spreadsheet.
    ///
    /// - Throws: `BatchSourceError` with `manifestInvalid` or `tooManyInputs`.
    static func rows(in data: Data, limits: BatchLimits) throws(BatchSourceError) -> [ManifestRow] {
        // An open quote would silently swallow all rows after it.
        guard data.count(where: { $0 == UInt8(ascii: "\"") }).isMultiple(of: 2) else {
            guard String(validating: data, as: UTF8.self) != nil else { throw self.otherEncoding }
            throw BatchSourceError(
                .manifestInvalid,
                "the manifest has a quote that is never closed; correct it and run again"
            )
        }
        var manifest = CSVManifest(limits: limits)
        for piece in CSVPieces(of: data, limit: limits.recordBytes) { try manifest.read(data, piece) }
        guard manifest.header != nil else { throw self.headerless }
        return manifest.rows
    }

    private mutating func read(_ data: Data, _ piece: CSVPieces.Piece) throws(BatchSourceError) {
        let bytes = data[data.startIndex + piece.range.lowerBound..<data.startIndex + piece.range.upperBound]
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.otherEncoding }
        guard !piece.isTooLong else {
            throw Manifest.invalid(row: self.count + 1, "has more than \(self.limits.recordBytes) bytes")
        }
        for fields in try self.records(of: text) {
            self.count += 1
            if !fields.allSatisfy(\.isEmpty) { try self.read(fields) }
        }
    }

    private mutating func read(_ fields: [String]) throws(BatchSourceError) {
        guard let columns = self.header else {
            self.header = try Self.columns(named: fields)
            return
        }
        guard fields.count <= columns.count else {
            throw Manifest.invalid(row: self.count, "has \(fields.count) values for \(columns.count) columns")
        }
        guard self.rows.count < self.limits.inputs else { throw .tooManyInputs(limit: self.limits.inputs) }
        let texts = Dictionary(zip(columns, fields)) { first, _ in first }
        self.rows.append(try Manifest.row(self.count, texts: texts))
    }

    private func records(of text: String) throws(BatchSourceError) -> [[String]] {
        var records: [[String]] = []
        do {
            // No row is wanted from the initialiser: it would fill short rows up, and hide long ones.
            let csv = try CSV<Enumerated>(string: text, delimiter: .comma, loadColumns: false, rowLimit: 0)
            try csv.enumerateAsArray(startAt: 0, rowLimit: nil) { records.append($0) }
        } catch {
            // The parser's own words quote the manifest, which is personal.
            throw Manifest.invalid(row: self.count + records.count + 1, "has a text after a closing quote")
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

    private static var otherEncoding: BatchSourceError {
        BatchSourceError(.manifestInvalid, "the manifest is not UTF-8; save it as \"CSV UTF-8\" and run again")
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
