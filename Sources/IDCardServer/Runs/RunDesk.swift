import Foundation
import HTTPTypes
import Hummingbird
import IDCardCore
import IDCardPipeline

/// Starts batches over the sources of the configuration, and tells of them.
struct RunDesk: Sendable {
    private struct Document: Encodable {
        let runID: String
        let source: String
        let state: SourceRun.State
        let reason: ReasonCode?
        let counts: [String: Int]
        let refusals: [String: Int]
        let startedAt: String
        let endedAt: String?

        enum CodingKeys: String, CodingKey {
            case runID = "run_id"
            case source
            case state
            case reason
            case counts
            case refusals
            case startedAt = "started_at"
            case endedAt = "ended_at"
        }

        init(_ run: SourceRun) {
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

    let ports: CardServer.Ports
    let limits: SubmissionLimits

    /// `POST /v1/runs`.
    func start(_ request: Request, context: ServerContext) async throws -> Response {
        try await self.ports.intake.requireOpen()
        let body = try await BodyReader(request: request, context: context, limit: self.limits.jsonBytes).collect()
        let texts = try JSONTexts.parse(body, contentType: request.headers[.contentType], known: ["source"])
        guard let source = texts["source"] else { throw Problem(.fieldInvalid, "source names a source.") }
        guard let run = try await self.ports.runs?.start(source) else { throw Problem(.sourceUnknown) }
        return JSONAnswer.response(
            Document(run),
            status: .accepted,
            headers: [.location: "/v1/runs/\(run.id)"]
        )
    }

    /// `GET /v1/runs/{run_id}`.
    func show(_ context: ServerContext) async throws -> Response {
        let name = context.parameters.get("run_id") ?? ""
        guard 1...64 ~= name.utf8.count, let run = try await self.ports.runs?.run(name) else {
            throw Problem(.runNotFound)
        }
        return JSONAnswer.response(Document(run))
    }
}
