import CardModel
import Foundation
import HTTPTypes
import Hummingbird

/// Starts batches over the sources of the configuration, and tells of them.
struct RunRoutes: Sendable {
    private struct List: Encodable {
        let runs: [RunStatus]
    }

    let reception: Reception

    /// `POST /v1/runs`.
    func start(_ request: Request, context: ServerContext) async throws -> Response {
        try await self.reception.requireRoom()
        let body = try await BodyReader(request: request, context: context, limit: Limits.jsonBytes).collect()
        let texts = try StrictJSON.texts(body, contentType: request.headers[.contentType], known: ["source"])
        guard let source = texts["source"] else { throw Problem(.fieldInvalid, "source names a source.") }
        guard let run = try await self.reception.ports.startRun(source) else { throw Problem(.sourceUnknown) }
        return JSONAnswer.response(
            run,
            status: .accepted,
            headers: [.location: "/v1/runs/\(run.runID)"]
        )
    }

    /// `GET /v1/runs`.
    func list() async throws -> Response {
        JSONAnswer.response(List(runs: try await self.reception.ports.runs()))
    }

    /// `GET /v1/runs/{run_id}`.
    func show(_ context: ServerContext) async throws -> Response {
        let id = context.parameters.get("run_id") ?? ""
        guard let run = try await self.reception.ports.run(id) else { throw Problem(.runNotFound) }
        return JSONAnswer.response(run)
    }
}
