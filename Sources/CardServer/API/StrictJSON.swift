import Foundation

/// Reads JSON that strangers send: in UTF-8, and each key of an object once. A decoder keeps one of two equal keys and
/// says nothing.
enum StrictJSON {
    /// Reads a body.
    ///
    /// - Parameter expected: what it is to be, for people.
    /// - Throws: ``Problem``: `json_invalid`, `field_duplicate`; and a problem that the type itself throws.
    static func decode<Value: Decodable>(_ type: Value.Type, from body: Data, expected: String) throws -> Value {
        let value: Value
        do {
            // The decoder reads UTF-16 and UTF-32, too, in which every ASCII character has a byte that is zero.
            guard !body.contains(0) else { throw Problem(.jsonInvalid, "It is not UTF-8.") }
            value = try JSONDecoder().decode(type, from: body)
        } catch let problem as Problem {
            throw problem
        } catch {
            // The decoder's own text may quote the body.
            throw Problem(.jsonInvalid, expected)
        }
        guard self.hasUniqueKeys(body) else { throw Problem(.fieldDuplicate, "A key stands twice in an object.") }
        return value
    }

    /// Reads an object of texts; a key that is `null` is missing.
    ///
    /// - Throws: ``Problem``: `media_type_unsupported`, `json_invalid`, `field_unknown`, `field_duplicate`.
    static func texts(_ body: Data, contentType: String?, known: Set<String>) throws -> [String: String] {
        guard contentType?.mediaType == "application/json" else {
            throw Problem(.mediaTypeUnsupported, "Taken is application/json.")
        }
        let texts = try self.decode([String: String?].self, from: body, expected: "It is an object of texts.")
        guard texts.keys.allSatisfy(known.contains) else {
            throw Problem(.fieldUnknown, "Known are \(known.sorted().joined(separator: ", ")).")
        }
        return texts.compactMapValues { $0 }
    }

    /// Whether no object of JSON that is known to be well-formed has a key twice.
    private static func hasUniqueKeys(_ json: Data) -> Bool {
        json.withUnsafeBytes { bytes in
            var objects: [Set<String>] = []
            var index = 0
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "{"): objects.append([])
                case UInt8(ascii: "}"): _ = objects.popLast()
                case UInt8(ascii: "\""):
                    let end = self.endOfText(bytes, from: index)
                    if self.isKey(bytes, after: end), !objects.isEmpty {
                        let key = try? JSONDecoder().decode(String.self, from: Data(bytes[index...end]))
                        guard objects[objects.count - 1].insert(key ?? "").inserted else { return false }
                    }
                    index = end
                default: break
                }
                index += 1
            }
            return true
        }
    }

    /// The quote that closes a text, or the last byte.
    private static func endOfText(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, bytes.count - 1)
    }

    private static func isKey(_ bytes: UnsafeRawBufferPointer, after index: Int) -> Bool {
        bytes[(index + 1)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
    }
}
