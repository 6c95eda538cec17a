import HTTPTypes
import Hummingbird
import IDCardPipeline

/// What is answered where.
struct ServerRoutes: Sendable {
    /// Answers a request; the record is that of its token, where it needs one.
    typealias Handler = @Sendable (Request, ServerContext, TokenRecord?) async throws -> Response

    let envelope: Envelope
    let authentication: Authentication
    let submissions: SubmissionDesk
    let webhooks: WebhookDesk
    let cards: CardDesk
    let runs: RunDesk
    let health: HealthDesk
    let figures: MetricsDesk
    let document: OpenAPIDocument

    /// The routes, one for each operation.
    func router() -> Router<ServerContext> {
        // Every server takes HEAD (RFC 9110 section 9.1): asked as GET is, and answered without the content.
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: self.envelope)
        for operation in APIOperation.all {
            let handler = self.handler(of: operation)
            router.on(RouterPath(operation.path), method: operation.method) { request, context in
                context.exchange.note { $0.route = operation.path }
                var caller: TokenRecord?
                if case .token(let scope) = operation.access {
                    caller = try self.authentication.admit(request, context: context, scope: scope)
                }
                return try await handler(request, context, caller)
            }
        }
        return router
    }

    private func handler(of operation: APIOperation) -> Handler {
        switch operation.id {
        case APIOperation.submitCard.id:
            return { request, context, caller in
                try await self.submissions.receive(request, context: context, caller: caller?.name ?? "")
            }
        case APIOperation.receiveWebhook.id:
            return { request, context, _ in try await self.webhooks.receive(request, context: context) }
        case APIOperation.startRun.id:
            return { request, context, _ in try await self.runs.start(request, context: context) }
        case APIOperation.showRun.id:
            return { _, context, _ in try await self.runs.show(context) }
        case APIOperation.live.id: return { _, _, _ in self.health.live() }
        case APIOperation.ready.id: return { _, _, _ in try await self.health.ready() }
        case APIOperation.figures.id: return { _, _, _ in try await self.figures.answer() }
        case APIOperation.document.id: return { _, _, _ in self.document.answer() }
        default: return self.cardHandler(of: operation)
        }
    }

    private func cardHandler(of operation: APIOperation) -> Handler {
        { request, context, caller in
            guard let caller else { throw Problem(.unauthorized) }
            switch operation.id {
            case APIOperation.listCards.id: return try await self.cards.list(request)
            case APIOperation.showCard.id:
                return try await self.cards.show(request, context: context, caller: caller)
            case APIOperation.retryCard.id:
                return try await self.cards.retry(request, context: context, caller: caller)
            case APIOperation.resolveCard.id:
                return try await self.cards.resolve(request, context: context, caller: caller)
            case APIOperation.eraseCard.id:
                return try await self.cards.erase(request, context: context, caller: caller)
            default: throw Problem(.notFound)
            }
        }
    }
}
