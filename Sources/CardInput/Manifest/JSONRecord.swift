import CardModel
import Foundation

/// A flat JSON object of texts, whole numbers and nulls: a sidecar, or a line of a JSONL manifest.
enum JSONRecord {
    /// Reads an object; a key that is `null` is missing, one that stands twice is among `duplicates`.
    ///
    /// - Throws: `CodedError` whose message reads on after "row 7 of the manifest " or "its sidecar ".
    static func record(in json: Data) throws(CodedError) -> Record {
        guard let object = JSONValue(parsing: json), object.isObject else { throw self.malformed }
        let unknown = object.members.map(\.name).filter { Record.column($0) == nil }
        guard unknown.isEmpty else {
            throw CodedError(
                .fieldInvalid,
                .input,
                .recordUnknownKeys(Record.shown(unknown.sorted()), known: Record.names)
            )
        }
        var (record, given, twice) = (Record(), Set<String>(), Set<String>())
        for member in object.members {
            guard let column = Record.column(member.name) else { continue }
            if !given.insert(column).inserted { twice.insert(column) }
            record.set(column, to: try self.text(of: member.value))
        }
        record.duplicates = twice.sorted()
        return record
    }

    private static let malformed = CodedError(.fieldInvalid, .input, .recordMalformed)

    private static func text(of value: JSONValue) throws(CodedError) -> String? {
        switch value {
        case .null: return nil
        case .string(let text): return text
        case .number(let digits):
            guard digits.contains(where: { ".eE".contains($0) }) else { return digits }
            throw CodedError(.fieldInvalid, .input, .recordInexactNumber)
        case .object, .array, .boolean: throw self.malformed
        }
    }

    /// Reads the lines of a manifest; the number of a row is the number of its line, blank lines are passed over.
    static func rows(in data: Data) throws(CodedError) -> [Manifest.Row] {
        var rows: [Manifest.Row] = []
        for (index, line) in TableText.withoutByteOrderMark(data).split(
            separator: UInt8(ascii: "\n"),
            omittingEmptySubsequences: false
        ).enumerated() where line.contains(where: { $0 > UInt8(ascii: " ") }) {
            let record: Record
            do {
                record = try self.record(in: line)
            } catch {
                throw Manifest.invalid(row: index + 1, error.message)
            }
            guard !record.duplicates.contains("path") else {
                throw Manifest.invalid(row: index + 1, record.duplicate.message, code: .fieldDuplicate)
            }
            rows.append(try Manifest.Row(index + 1, record))
        }
        return rows
    }
}
