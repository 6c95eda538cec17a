import CardModel
import Foundation

/// A flat JSON object of texts, whole numbers and nulls: a sidecar, or a line of a JSONL manifest.
enum JSONRecord {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Object: Decodable {
        private(set) var texts: [String: String?] = [:]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys {
                self.texts.updateValue(try Self.text(of: key, in: container), forKey: key.stringValue)
            }
        }

        private static func text(of key: Key, in container: KeyedDecodingContainer<Key>) throws -> String? {
            if try container.decodeNil(forKey: key) { return nil }
            if let text = try? container.decode(String.self, forKey: key) { return text }
            return String(try container.decode(Int64.self, forKey: key))
        }
    }

    /// Reads an object; a key that is `null` is missing, one that stands twice is among `duplicates`.
    ///
    /// - Throws: `CodedError` whose message reads on after "row 7 of the manifest " or "its sidecar ".
    static func record(in json: Data) throws(CodedError) -> Record {
        let scan = Scan(json)
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
        let object: Object
        do {
            object = try JSONDecoder().decode(Object.self, from: json)
        } catch {
            // The decoder's own words may quote the bytes, which may be personal.
            throw CodedError(.fieldInvalid, .input, "is not a JSON object of texts and whole numbers")
        }
        let unknown = object.texts.keys.filter { !Record.isKnown($0) }
        guard unknown.isEmpty else { throw CodedError(.fieldInvalid, .input, Record.unknown(unknown.sorted())) }
        var record = Record()
        for (key, text) in object.texts { record.set(key, to: text) }
        // The decoder keeps one of two equal keys.
        record.duplicates = Dictionary(grouping: scan.keys) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
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

extension JSONRecord {
    /// What a decoder does not tell of an object.
    private struct Scan {
        /// All keys, also those that stand twice.
        private(set) var keys: [String] = []
        /// Whether a number outside of the texts has a fraction or an exponent: the decoder would make whole numbers
        /// of some.
        private(set) var hasFractionOrExponent = false

        init(_ json: Data) {
            var (start, isEscaped, isNumber): (Data.Index?, Bool, Bool) = (nil, false, false)
            var text: Data?
            for index in json.indices {
                let byte = json[index]
                if let begin = start {
                    if byte == UInt8(ascii: "\""), !isEscaped {
                        text = json[begin...index]
                        start = nil
                    }
                    isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""): (start, isNumber) = (index, false)
                // A text before a colon is a key; escapes in it are read as the decoder reads them.
                case UInt8(ascii: ":"):
                    if let key = text.flatMap({ Self.key($0) }) { self.keys.append(key) }
                    isNumber = false
                case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
                    if isNumber { self.hasFractionOrExponent = true }
                default: isNumber = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                }
            }
        }

        private static func key(_ quoted: Data) -> String? {
            guard quoted.contains(UInt8(ascii: "\\")) else {
                return String(validating: quoted.dropFirst().dropLast(), as: UTF8.self)
            }
            return try? JSONDecoder().decode(String.self, from: quoted)
        }
    }
}
