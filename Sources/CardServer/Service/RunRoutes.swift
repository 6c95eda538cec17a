import CardModel
import Foundation
import HTTPTypes
import Hummingbird

/// Starts batches over the sources of the configuration, and tells of them.
struct RunRoutes: Sendable {
    private struct List: Encodable {
        let runs: [RunDocument]
    }

    let reception: Reception

    /// `POST /v1/runs`.
    func start(_ request: Request, context: ServerContext) async throws -> Response {
        try await self.reception.requireRoom()
        let body = try await BodyReader(request: request, context: context, limit: Limits.jsonBytes).collect()
        let texts = try JSONTexts.parse(body, contentType: request.headers[.contentType], known: ["source"])
        guard let source = texts["source"] else { throw Problem(.fieldInvalid, "source names a source.") }
        guard let run = try await self.reception.ports.startRun(source) else { throw Problem(.sourceUnknown) }
        return JSONAnswer.response(
            RunDocument(run: run),
            status: .accepted,
            headers: [.location: "/v1/runs/\(run.id)"]
        )
    }

    /// `GET /v1/runs`.
    func list() async throws -> Response {
        JSONAnswer.response(List(runs: try await self.reception.ports.runs().map(RunDocument.init)))
    }

    /// `GET /v1/runs/{run_id}`.
    func show(_ context: ServerContext) async throws -> Response {
        let id = context.parameters.get("run_id") ?? ""
        guard let run = try await self.reception.ports.run(id) else { throw Problem(.runNotFound) }
        return JSONAnswer.response(RunDocument(run: run))
    }
}

/// A run in JSON.
private struct RunDocument: Encodable {
    let run: RunStatus

    private enum CodingKeys: String, CodingKey {
        case id = "run_id"
        case source
        case state
        case reason
        case counts
        case refusals
        case startedAt = "started_at"
        case endedAt = "ended_at"
    }

    /// Writes every key, `null` where there is nothing.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.run.id, forKey: .id)
        try container.encode(self.run.source, forKey: .source)
        try container.encode(self.run.state, forKey: .state)
        try container.encode(self.run.reason, forKey: .reason)
        try container.encode(self.run.counts, forKey: .counts)
        try container.encode(self.run.refusals, forKey: .refusals)
        try container.encode(self.run.startedAt.description, forKey: .startedAt)
        try container.encode(self.run.endedAt?.description, forKey: .endedAt)
    }
}
