import CardEmbedded
import Foundation
import Logging
import TestSupport
import Testing

extension RawResponse {
    var retcode: String? { self.json["RETCODE"] as? String }
    var itemCodes: [String]? { (self.json["ITEMS"] as? [[String: Any]])?.map { $0["RETCODE"] as? String ?? "" } }
    var isReplay: Bool { self["idempotent-replayed"] == "true" }
    var error: String? { self.error(.faceIDv1) }

    func error(_ dialect: EmbeddedVerifier.Dialect) -> String? {
        self.json[dialect == .faceIDv3 ? "error" : "error_message"] as? String
    }
}

extension RawRequest {
    /// With a form; `key` is the value of the header field, quotes included.
    static func form(_ form: HandWrittenForm, to path: String = "/upload", key: String? = nil) -> RawRequest {
        let keyed = key.map { [("Idempotency-Key", $0)] } ?? []
        return RawRequest("POST", path, headers: [("Content-Type", form.contentType)] + keyed, body: form.body)
    }
}

/// Talks to a running endpoint, each request over a connection of its own.
struct EndpointClient: Sendable {
    let port: Int

    func send(_ request: RawRequest) async throws -> RawResponse {
        try await RawConnection.answer(to: request, port: self.port)
    }

    func connected<Value: Sendable>(_ body: (RawConnection) async throws -> Value) async throws -> Value {
        try await RawConnection.with(port: self.port, body)
    }

    func get(_ path: String) async throws -> RawResponse { try await self.send(RawRequest("GET", path)) }

    /// Sends a form to the backend; `key` is the value of the header field, quotes included.
    func upload(_ form: HandWrittenForm, key: String?) async throws -> RawResponse {
        try await self.send(.form(form, key: key))
    }

    func post(_ form: HandWrittenForm, to dialect: EmbeddedVerifier.Dialect = .faceIDv1) async throws -> RawResponse {
        try await self.send(.form(form, to: dialect.path))
    }

    /// Waits until so many uploads are under way.
    func waitForRunning(_ count: Int) async throws {
        while try await self.get("/healthz").json["running"] as? Int != count { await Task.yield() }
    }
}

/// What a verifier that serves nobody else answers.
func verifierAnswer(
    to form: HandWrittenForm,
    in dialect: EmbeddedVerifier.Dialect = .faceIDv1,
    logger: Logger = silent
) async throws -> RawResponse {
    try await withVerifier(logger: logger) { client async throws in try await client.post(form, to: dialect) }
}

/// Expects the name and the time of a call that came when `withVerifier`'s clock stood.
func expectMark(_ json: [String: Any]) throws {
    let id = try #require(json["request_id"] as? String).split(separator: ",")
    #expect(id.count == 2 && id[0] == "1457432550" && UUID(uuidString: String(id[1])) != nil)
    #expect(try #require(json["time_used"] as? Int) >= 0)
}
