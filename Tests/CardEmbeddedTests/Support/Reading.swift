import CardEmbedded
import Foundation
import Logging
import Testing

extension Answer {
    /// The error string, under the key of a dialect.
    func error(_ dialect: EmbeddedVerifier.Dialect) -> String? {
        self.json[dialect == .faceIDv3 ? "error" : "error_message"] as? String
    }

    var error: String? { self.error(.faceIDv1) }
}

extension EndpointClient {
    /// Asks a verifier for a reading.
    func post(_ form: HandWrittenForm, to dialect: EmbeddedVerifier.Dialect = .faceIDv1) async throws -> Answer {
        try await self.send(dialect.path, form)
    }
}

/// What a verifier that serves nobody else answers.
func verifierAnswer(
    to form: HandWrittenForm,
    in dialect: EmbeddedVerifier.Dialect = .faceIDv1,
    logger: Logger = silent
) async throws -> Answer {
    try await withVerifier(logger: logger) { client async throws in try await client.post(form, to: dialect) }
}

extension HandWrittenForm {
    /// A request for a reading.
    static func reading(
        key: String = "test-key",
        secret: String = "test-secret",
        image: [UInt8]? = jpeg,
        filename: String? = "card.bin",
        legality: String? = nil,
        in dialect: EmbeddedVerifier.Dialect = .faceIDv1
    ) -> HandWrittenForm {
        var form = HandWrittenForm(parts: [.text("api_key", key), .text("api_secret", secret)])
        if let legality { form.parts.append(.text("legality", legality)) }
        if let image {
            let name = dialect == .faceppv1 ? "image_file" : "image"
            form.parts.append(Part(name: name, filename: filename, type: "application/octet-stream", body: image))
        }
        return form
    }
}

/// Expects the name and the time of a call that came when `withVerifier`'s clock stood.
func expectMark(_ json: [String: Any]) throws {
    let id = try #require(json["request_id"] as? String).split(separator: ",")
    #expect(id.count == 2 && id[0] == "1457432550" && UUID(uuidString: String(id[1])) != nil)
    #expect(try #require(json["time_used"] as? Int) >= 0)
}
