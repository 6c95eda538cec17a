import Foundation

/// Reads a manifest of one JSON object per line; blank lines are passed over.
enum JSONLinesManifest {
    /// Reads all rows; the number of a row is the number of its line.
    ///
    /// - Throws: `BatchSourceError` with `manifestInvalid` or `tooManyInputs`.
    static func rows(in data: Data, limits: BatchLimits) throws(BatchSourceError) -> [ManifestRow] {
        var rows: [ManifestRow] = []
        var number = 0
        var rest = data[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            number += 1
            guard line.contains(where: { $0 > UInt8(ascii: " ") }) else { continue }
            guard line.count <= limits.recordBytes else {
                throw Manifest.invalid(row: number, "has more than \(limits.recordBytes) bytes")
            }
            guard rows.count < limits.inputs else { throw .tooManyInputs(limit: limits.inputs) }
            let texts: [MetadataColumn: String]
            do {
                texts = try JSONRecord.texts(in: line)
            } catch {
                throw Manifest.invalid(row: number, error.words)
            }
            rows.append(try Manifest.row(number, texts: texts))
        }
        return rows
    }
}
