import Foundation

/// Reads a manifest of one JSON object per line; blank lines are passed over.
enum JSONLinesManifest {
    private typealias Outcome = Result<[ManifestRow], BatchSourceError>

    /// From this size on, two halves are read beside each other; 32 KiB are a few hundred rows.
    static let leastHalved = 32 << 10

    /// Reads all rows; the number of a row is the number of its line.
    ///
    /// - Throws: `BatchSourceError` with `manifestInvalid` or `tooManyInputs`: of the first line that calls for one.
    static func rows(in data: Data, limits: BatchLimits) throws(BatchSourceError) -> [ManifestRow] {
        guard data.count >= Self.leastHalved, let middle = Self.middle(of: data) else {
            return try self.rows(in: data, after: Position(), limits: limits)
        }
        let (first, second) = (data[..<middle], data[middle...])
        let lines = first.count { $0 == UInt8(ascii: "\n") }
        let halves = Halves.both { half in
            Outcome { () throws(BatchSourceError) in
                try self.rows(
                    in: half == 0 ? first : second,
                    after: Position(lines: half == 0 ? 0 : lines),
                    limits: limits
                )
            }
        }
        let rows = try halves.0.get()
        if case .success(let others) = halves.1, rows.count + others.count <= limits.inputs { return rows + others }
        // Once more, to find out what comes first: a line that is no row, or the row that is one too many.
        return try rows + self.rows(in: second, after: Position(lines: lines, rows: rows.count), limits: limits)
    }

    /// What lies before the first line of a part.
    private struct Position {
        var lines = 0
        var rows = 0
    }

    /// Where the line begins that follows the middle byte; `nil` if none does.
    private static func middle(of data: Data) -> Data.Index? {
        let from = data.startIndex + data.count / 2
        return data[from...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
    }

    private static func rows(
        in data: Data,
        after position: Position,
        limits: BatchLimits
    ) throws(BatchSourceError) -> [ManifestRow] {
        var rows: [ManifestRow] = []
        var number = position.lines
        var rest = data[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            number += 1
            guard line.contains(where: { $0 > UInt8(ascii: " ") }) else { continue }
            guard line.count <= limits.recordBytes else {
                throw Manifest.invalid(row: number, "has more than \(limits.recordBytes) bytes")
            }
            guard position.rows + rows.count < limits.inputs else { throw .tooManyInputs(limit: limits.inputs) }
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
