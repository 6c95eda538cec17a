import CardModel
import CardStore
import HTTPTypes
import Hummingbird

extension CardServer {
    /// What is answered where: every operation with its handler, over everything that requests share.
    func router() -> Router<ServerContext> {
        // Every server takes HEAD (RFC 9110 section 9.1): asked as GET is, and answered without the content.
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: Envelope(metrics: self.metrics, origins: self.configuration.origins, logger: self.logger)
        )
        let reception = Reception(ports: self.ports, configuration: self.configuration, metrics: self.metrics)
        let webhooks = WebhookRoute(reception: reception, secrets: self.webhookSecrets, metrics: self.metrics)
        let health = HealthRoutes(reception: reception, metrics: self.metrics, connections: self.register)
        router.add(.receiveWebhook, webhooks.receive)
        router.add(.live) { _, _ in health.live() }
        router.add(.ready) { _, _ in try await health.ready() }
        router.add(.document) { _, _ in OpenAPIDocument.answer() }
        let cards = CardRoutes(ports: self.ports)
        let runs = RunRoutes(reception: reception)
        let authentication = Authentication(
            tokens: self.configuration.tokens,
            callers: RateLimit(self.configuration.callerRate),
            failures: RateLimit(self.configuration.failureRate),
            metrics: self.metrics,
            now: self.ports.now
        )
        router.add(.submitCard, authentication, SubmissionRoute(reception: reception).receive)
        router.add(.listCards, authentication) { request, _, caller in try await cards.list(request, caller: caller) }
        router.add(.listCases, authentication) { request, _, caller in
            try await cards.listCases(request, caller: caller)
        }
        router.add(.showCard, authentication, cards.show)
        router.add(.showImage, authentication, cards.image)
        router.add(.eraseCard, authentication, cards.erase)
        router.add(.retryCard, authentication, cards.retry)
        router.add(.resolveCard, authentication, cards.resolve)
        router.add(.dropFourEyes, authentication, cards.dropFourEyes)
        router.add(.startRun, authentication, runs.start)
        router.add(.listRuns, authentication) { _, _, _ in try await runs.list() }
        router.add(.showRun, authentication) { _, context, _ in try await runs.show(context) }
        Console(authentication: authentication, cards: cards, reception: reception).add(to: router)
        router.add(.figures, authentication) { _, _, _ in try await health.figures() }
        return router
    }
}

extension Router<ServerContext> {
    /// Hangs a handler on its operation.
    fileprivate func add(
        _ operation: APIOperation,
        _ handler: @escaping @Sendable (Request, ServerContext) async throws -> Response
    ) {
        self.on(RouterPath(operation.path), method: operation.method, use: handler)
    }

    /// Hangs a handler on its operation, which asks for a token of its scope.
    fileprivate func add(
        _ operation: APIOperation,
        _ authentication: Authentication,
        _ handler: @escaping @Sendable (Request, ServerContext, Caller) async throws -> Response
    ) {
        guard case .token(let scopes) = operation.access else {
            preconditionFailure("\(operation.path) asks for no token.")
        }
        self.add(operation) { request, context in
            let caller = try authentication.admit(request, context: context, scopes: scopes)
            return try await handler(request, context, caller)
        }
    }
}

/// Starts batches over the sources of the configuration, and tells of them.
private struct RunRoutes: Sendable {
    let reception: Reception

    /// `POST /v1/runs`.
    func start(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        try await self.reception.requireRoom()
        let texts = try await StrictJSON.texts(of: request, context: context, known: ["source"])
        guard let source = texts["source"] else { throw Problem(.fieldInvalid, .requestSource) }
        let origin = try CardRoutes.origin("POST /v1/runs", caller: caller, why: nil)
        guard let run = try await self.reception.ports.startRun(source, origin) else { throw Problem(.sourceUnknown) }
        return Response(json: run, status: .accepted, headers: [.location: "/v1/runs/\(run.runID)"])
    }

    /// `GET /v1/runs`.
    func list() async throws -> Response { Response(json: ["runs": try await self.reception.ports.runs()]) }

    /// `GET /v1/runs/{run_id}`.
    func show(_ context: ServerContext) async throws -> Response {
        let id = context.parameters.get("run_id") ?? ""
        guard let run = try await self.reception.ports.run(id) else { throw Problem(.runNotFound) }
        return Response(json: run)
    }
}
