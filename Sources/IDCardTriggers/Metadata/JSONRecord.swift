import Foundation

/// A flat JSON object of texts, whole numbers and nulls: a sidecar, or a line of a JSONL manifest.
enum JSONRecord {
    /// What is wrong with the bytes, in words without the bytes themselves.
    struct Problem: Error, Hashable {
        /// Reads on after "the sidecar" or "row 7 of the manifest".
        var words: String
    }

    private struct Value: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self.text = nil
            } else if let text = try? container.decode(String.self) {
                self.text = text
            } else {
                self.text = String(try container.decode(Int64.self))
            }
        }
    }

    /// Reads an object; a key that is `null` is missing.
    static func texts(in json: Data) throws(Problem) -> [MetadataColumn: String] {
        let values: [String: Value]
        do {
            values = try JSONDecoder().decode([String: Value].self, from: json)
        } catch {
            // The decoder's own words may quote the bytes, which may be personal.
            throw Problem(words: "is not a JSON object of texts and whole numbers")
        }
        var texts: [MetadataColumn: String] = [:]
        var unknown: [String] = []
        for (key, value) in values {
            if let column = MetadataColumn(rawValue: key) {
                texts[column] = value.text
            } else {
                unknown.append(key)
            }
        }
        guard unknown.isEmpty else {
            let names = MetadataColumn.describe(unknown: unknown.sorted())
            throw Problem(words: "has keys that are not known: \(names); known are \(MetadataColumn.list)")
        }
        return texts
    }
}
