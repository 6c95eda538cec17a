import CardModel
import Foundation

/// A flat JSON object of texts, whole numbers and nulls: a sidecar, or a line of a JSONL manifest.
enum JSONRecord {
    /// A text, or a whole number as one.
    private struct Value: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self.text = try (try? container.decode(String.self)) ?? String(container.decode(Int64.self))
        }
    }

    /// Reads an object; a key that is `null` is missing, one that stands twice is among `duplicates`.
    ///
    /// - Throws: `CodedError` whose message reads on after "row 7 of the manifest " or "its sidecar ".
    static func record(in json: Data) throws(CodedError) -> Record {
        let scan = JSONScan(json)
        guard !scan.hasFractionOrExponent else {
            throw CodedError(
                .fieldInvalid,
                .input,
                """
                has a number with a fraction or an exponent (1.23457E+15), whose digits may be lost; write numbers of \
                cases, users and persons as texts in quotes
                """
            )
        }
        let object: [String: Value?]
        do {
            object = try JSONDecoder().decode([String: Value?].self, from: json)
        } catch {
            // The decoder's own words may quote the bytes, which may be personal.
            throw CodedError(.fieldInvalid, .input, "is not a JSON object of texts and whole numbers")
        }
        let unknown = object.keys.filter { !Record.isKnown($0) }
        guard unknown.isEmpty else { throw CodedError(.fieldInvalid, .input, Record.unknown(unknown.sorted())) }
        var record = Record()
        for (key, value) in object { record.set(key, to: value?.text) }
        record.duplicates = scan.repeatedKeys
        return record
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
