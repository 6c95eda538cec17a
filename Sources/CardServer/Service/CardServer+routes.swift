import CardModel
import CardStore
import HTTPTypes
import Hummingbird

extension CardServer {
    /// The routes of all operations, with the middleware that all requests share.
    func router() -> Router<ServerContext> {
        // Every server supports HEAD (RFC 9110 section 9.1): handled as GET, and answered without the content.
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: Envelope(metrics: self.metrics, origins: self.configuration.origins, logger: self.logger)
        )
        let intakeService = IntakeService(ports: self.ports, configuration: self.configuration, metrics: self.metrics)
        let routes = APIRoutes(
            cards: CardRoutes(ports: self.ports),
            health: HealthRoutes(intakeService: intakeService, metrics: self.metrics, connections: self.register),
            runs: RunRoutes(intakeService: intakeService),
            submission: SubmissionRoute(intakeService: intakeService),
            webhooks: WebhookRoute(intakeService: intakeService, secrets: self.webhookSecrets, metrics: self.metrics)
        )
        let authentication = Authentication(
            tokens: self.configuration.tokens,
            callers: RateLimit(self.configuration.callerRate),
            failures: RateLimit(self.configuration.failureRate),
            metrics: self.metrics,
            now: self.ports.now
        )
        for operation in APIOperation.all {
            let handler = operation.handler(routes)
            router.on(RouterPath(operation.path), method: operation.method) { request, context in
                guard case .token(let scopes) = operation.access else {
                    return try await handler(request, context, Caller(subject: "", scopes: []))
                }
                let caller = try authentication.admit(request, context: context, scopes: scopes)
                return try await handler(request, context, caller)
            }
        }
        Console(authentication: authentication, cards: routes.cards, intakeService: intakeService).add(to: router)
        return router
    }
}

struct APIRoutes: Sendable {
    let cards: CardRoutes
    let health: HealthRoutes
    let runs: RunRoutes
    let submission: SubmissionRoute
    let webhooks: WebhookRoute
}

/// Starts runs over the sources of the configuration, and shows them.
struct RunRoutes: Sendable {
    let intakeService: IntakeService

    /// `POST /v1/runs`.
    func start(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        try await self.intakeService.requireRoom()
        let texts = try await StrictJSON.texts(of: request, context: context, known: ["source"])
        guard let source = texts["source"] else { throw Problem(.fieldInvalid, .requestSource) }
        let origin = try CardRoutes.origin("POST /v1/runs", caller: caller, why: nil)
        guard let run = try await self.intakeService.ports.startRun(source, origin) else {
            throw Problem(.sourceUnknown)
        }
        return Response(json: run, status: .accepted, headers: [.location: "/v1/runs/\(run.runID)"])
    }

    /// `GET /v1/runs`.
    func list(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        Response(json: ["runs": try await self.intakeService.ports.runs()])
    }

    /// `GET /v1/runs/{run_id}`.
    func show(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        let id = context.parameters.get("run_id") ?? ""
        guard let run = try await self.intakeService.ports.run(id) else { throw Problem(.runNotFound) }
        return Response(json: run)
    }
}
