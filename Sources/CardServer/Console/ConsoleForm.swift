import CardModel
import Foundation
import Hummingbird

/// The fields of a form of the console (`application/x-www-form-urlencoded`), each once.
struct ConsoleForm: Sendable {
    private let fields: [String: String]

    /// - Throws: ``Problem``: `media_type_unsupported`, `field_unknown`, `field_invalid`, and what ``BodyReader`` throws.
    init(_ visit: Visit, known: Set<String>) async throws {
        let type = visit.request.headers[.contentType]?.mediaType
        guard type == "application/x-www-form-urlencoded" else { throw Problem(.mediaTypeUnsupported) }
        var body = Data()
        let reader = BodyReader(request: visit.request, context: visit.context, limit: Limits.jsonBytes)
        try await reader.read { body.append(contentsOf: $0.readableBytesView) }
        let text = String(decoding: body, as: UTF8.self)
        guard let fields = try? URLEncodedFormDecoder().decode([String: String].self, from: text) else {
            throw Problem(.fieldInvalid)
        }
        guard Set(fields.keys).isSubset(of: known) else { throw Problem(.fieldUnknown) }
        self.fields = fields
    }

    /// What a field holds, trimmed; `nil` if it is missing or empty.
    subscript(_ name: String) -> String? {
        guard let text = self.fields[name]?.trimmed, !text.isEmpty else { return nil }
        return text
    }
}
