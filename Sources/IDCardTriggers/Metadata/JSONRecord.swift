import Foundation

/// A flat JSON object of texts, whole numbers and nulls: a sidecar, or a line of a JSONL manifest.
enum JSONRecord {
    /// What is wrong with the bytes, in words without the bytes themselves.
    struct Problem: Error, Hashable {
        /// Reads on after "the sidecar" or "row 7 of the manifest".
        var words: String
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Object: Decodable {
        private(set) var texts: [MetadataColumn: String] = [:]
        private(set) var unknown: [String] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys {
                let text = try Self.text(of: key, in: container)
                if let column = MetadataColumn(rawValue: key.stringValue) {
                    self.texts[column] = text
                } else {
                    self.unknown.append(key.stringValue)
                }
            }
        }

        private static func text(of key: Key, in container: KeyedDecodingContainer<Key>) throws -> String? {
            if try container.decodeNil(forKey: key) { return nil }
            if let text = try? container.decode(String.self, forKey: key) { return text }
            return String(try container.decode(Int64.self, forKey: key))
        }
    }

    /// Whether a number outside of the texts has a fraction or an exponent: the decoder would make whole numbers of some.
    private static func hasFractionOrExponent(_ json: Data) -> Bool {
        var (isText, isEscaped, isNumber) = (false, false, false)
        return json.withUnsafeBytes { bytes in
            for byte in bytes {
                if isText {
                    isText = isEscaped || byte != UInt8(ascii: "\"")
                    isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): if isNumber { return true }
                default: isNumber = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                }
            }
            return false
        }
    }

    /// Reads an object; a key that is `null` is missing.
    static func texts(in json: Data) throws(Problem) -> [MetadataColumn: String] {
        guard !self.hasFractionOrExponent(json) else {
            throw Problem(
                words: "has a number with a fraction or an exponent (1.23457E+15), whose digits may be lost; "
                    + "write numbers of cases, users and persons as texts in quotes"
            )
        }
        let object: Object
        do {
            object = try JSONDecoder().decode(Object.self, from: json)
        } catch {
            // The decoder's own words may quote the bytes, which may be personal.
            throw Problem(words: "is not a JSON object of texts and whole numbers")
        }
        guard object.unknown.isEmpty else {
            let names = MetadataColumn.describe(unknown: object.unknown.sorted())
            throw Problem(words: "has keys that are not known: \(names); known are \(MetadataColumn.list)")
        }
        return object.texts
    }
}
