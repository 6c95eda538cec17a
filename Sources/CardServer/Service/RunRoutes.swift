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
        let texts = try StrictJSON.texts(body, contentType: request.headers[.contentType], known: ["source"])
        guard let source = texts["source"] else { throw Problem(.fieldInvalid, "source names a source.") }
        guard let run = try await self.reception.ports.startRun(source) else { throw Problem(.sourceUnknown) }
        return JSONAnswer.response(
            RunDocument(run),
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
        return JSONAnswer.response(RunDocument(run))
    }
}

/// A run in JSON.
private struct RunDocument: Encodable {
    let runID: String
    let source: String
    let state: RunStatus.State
    @Nullable var reason: ReasonCode?
    let counts: [String: Int]
    let refusals: [String: Int]
    let startedAt: String
    @Nullable var endedAt: String?

    init(_ run: RunStatus) {
        self.runID = run.id
        self.source = run.source
        self.state = run.state
        self.reason = run.reason
        self.counts = run.counts
        self.refusals = run.refusals
        self.startedAt = run.startedAt.description
        self.endedAt = run.endedAt?.description
    }
}
