import Foundation

/// Reads small JSON objects of texts.
enum JSONTexts {
    /// Reads a body; a key that is `null` is missing.
    ///
    /// - Throws: ``Problem``: `media_type_unsupported`, `json_invalid`, `field_unknown`.
    static func parse(_ body: Data, contentType: String?, known: Set<String>) throws -> [String: String] {
        let type = contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "application/json" else {
            throw Problem(.mediaTypeUnsupported, "Taken is application/json.")
        }
        guard let texts = try? JSONDecoder().decode([String: String?].self, from: body) else {
            throw Problem(.jsonInvalid, "It is an object of texts.")
        }
        guard texts.keys.allSatisfy(known.contains) else {
            throw Problem(.fieldUnknown, "Known are \(known.sorted().joined(separator: ", ")).")
        }
        return texts.compactMapValues { $0 }
    }
}
