import Hummingbird

/// What is answered where: every operation with its handler.
struct ServerRoutes: Sendable {
    /// Answers a request with the token it came with.
    typealias TokenHandler = @Sendable (Request, ServerContext, AccessToken) async throws -> Response

    let authentication: Authentication
    let submissions: SubmissionRoute
    let webhooks: WebhookRoute
    let cards: CardRoutes
    let runs: RunRoutes
    let health: HealthRoutes

    /// Hangs each handler on its route.
    func add(to router: Router<ServerContext>) {
        self.add(.submitCard, to: router) { try await self.submissions.receive($0, context: $1, caller: $2) }
        self.add(.listCards, to: router) { request, _, _ in try await self.cards.list(request) }
        self.add(.showCard, to: router) { try await self.cards.show($0, context: $1, caller: $2) }
        self.add(.eraseCard, to: router) { try await self.cards.erase($0, context: $1, caller: $2) }
        self.add(.retryCard, to: router) { try await self.cards.retry($0, context: $1, caller: $2) }
        self.add(.resolveCard, to: router) { try await self.cards.resolve($0, context: $1, caller: $2) }
        self.add(.startRun, to: router) { request, context, _ in
            try await self.runs.start(request, context: context)
        }
        self.add(.listRuns, to: router) { _, _, _ in try await self.runs.list() }
        self.add(.showRun, to: router) { _, context, _ in try await self.runs.show(context) }
        self.add(.figures, to: router) { _, _, _ in try await self.health.figures() }
        self.addOpen(.receiveWebhook, to: router) { try await self.webhooks.receive($0, context: $1) }
        self.addOpen(.live, to: router) { _, _ in self.health.live() }
        self.addOpen(.ready, to: router) { _, _ in await self.health.ready() }
        self.addOpen(.document, to: router) { _, _ in OpenAPIDocument.answer() }
    }

    /// Adds an operation that asks for a token of its scope.
    private func add(_ operation: APIOperation, to router: Router<ServerContext>, _ handler: @escaping TokenHandler) {
        guard case .token(let scope) = operation.access else {
            preconditionFailure("\(operation.path) asks for no token.")
        }
        self.addOpen(operation, to: router) { request, context in
            let caller = try self.authentication.admit(request, context: context, scope: scope)
            return try await handler(request, context, caller)
        }
    }

    private func addOpen(
        _ operation: APIOperation,
        to router: Router<ServerContext>,
        _ handler: @escaping @Sendable (Request, ServerContext) async throws -> Response
    ) {
        router.on(RouterPath(operation.path), method: operation.method) { request, context in
            context.record.note { $0.route = operation.path }
            return try await handler(request, context)
        }
    }
}
