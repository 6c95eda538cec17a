import CardModel
import HTTPTypes
import Hummingbird

/// One operation of the API: its method and path, the access that it needs, its problems and its handler.
struct APIOperation: Sendable {
    typealias Handler = @Sendable (Request, ServerContext, Caller) async throws -> Response

    enum Access: Hashable, Sendable {
        case open
        /// A token with one of these scopes.
        case token([TokenScope])
        /// A signature made with one of the webhook secrets.
        case signature
    }

    let method: HTTPRequest.Method
    /// The template, such as `/v1/cards/{card_id}`.
    let path: String
    let access: Access
    private let ownProblems: [ProblemCode]
    /// Gets the caller of the token; an operation without a token gets a caller without scopes.
    let handler: @Sendable (APIRoutes) -> Handler

    private init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ access: Access,
        _ problems: [ProblemCode] = [],
        _ handler: @escaping @Sendable (APIRoutes) -> Handler
    ) {
        (self.method, self.path, self.access) = (method, path, access)
        (self.ownProblems, self.handler) = (problems, handler)
    }

    var hasBody: Bool { self.method == .post }

    /// Every problem of this operation: its own, and those of all operations, of its access and of its body.
    var problems: [ProblemCode] {
        var codes: [ProblemCode] = [
            .requestMalformed, .headTimeout, .targetTooLong, .expectationUnknown, .headerTooLarge, .internalError,
            .versionUnsupported, .connectionsExhausted,
        ]
        switch self.access {
        case .open: break
        case .token:
            codes += [.unauthorized, .tokensUnavailable, .scopeMissing, .rateLimited, .storeUnavailable, .shuttingDown]
        case .signature: codes += [.signatureInvalid, .storeUnavailable, .shuttingDown]
        }
        if self.hasBody { codes += [.bodyTruncated, .bodyTimeout, .bodyTooLarge, .codingUnsupported, .busy] }
        return codes + self.ownProblems.filter { !codes.contains($0) }
    }

    static let methods: Set<HTTPRequest.Method> = Set(Self.all.map(\.method))

    /// Returns the problem for a request without an operation: the path is unknown, or does not allow the method.
    static func missing(_ request: Request) -> Problem {
        let parts = request.uri.path.split(separator: "/", omittingEmptySubsequences: true)
        // The root is a page for browsers only; for other programs its path is unknown.
        let pages = ConsoleRoute.all.filter { $0 != .home }.map { ($0.path, $0.method) }
        let endpoints = self.all.map { ($0.path, $0.method) } + pages
        var methods = Set(endpoints.filter { Self.matches($0.0, parts) }.map(\.1))
        guard !methods.isEmpty else { return Problem(.notFound) }
        if methods.contains(.get) { methods.insert(.head) }
        return Problem(.methodNotAllowed, headers: [.allow: methods.map(\.rawValue).sorted().joined(separator: ", ")])
    }

    private static func matches(_ path: String, _ parts: [Substring]) -> Bool {
        let template = path.split(separator: "/")
        guard template.count == parts.count else { return false }
        return zip(template, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}

// MARK: The operations

// Each stands on one line.
// swift-format-ignore
extension APIOperation {
    static let submitCard = Self(.post, "/v1/cards", .token([.submit]), intake + [.formMalformed, .formTooLarge, .mediaTypeUnsupported, .keyMalformed, .keyInProgress, .keyReused]) { $0.submission.receive }
    static let receiveWebhook = Self(.post, "/v1/webhooks/cards", .signature, intake + [.webhookTypeUnknown, .jsonInvalid, .imageInvalid, .addressInvalid, .addressRefused, .webhookReused]) { $0.webhooks.receive }
    static let listCards = Self(.get, "/v1/cards", token(.show), [.parameterInvalid]) { $0.cards.list }
    static let listCases = Self(.get, "/v1/cases", token(.show), [.parameterInvalid]) { $0.cards.listCases }
    static let showCard = Self(.get, "/v1/cards/{card_id}", .token(AccessAction.show.scopes + AccessAction.reveal.scopes), [.purposePersonal, .cardNotFound, .parameterInvalid, .fieldInvalid, .fieldDuplicate]) { $0.cards.show }
    static let showImage = Self(.get, "/v1/cards/{card_id}/image", .token(AccessAction.show.scopes + AccessAction.reveal.scopes), [.purposePersonal, .cardNotFound, .imageGone, .fieldInvalid, .fieldDuplicate]) { $0.cards.image }
    static let retryCard = Self(.post, "/v1/cards/{card_id}/retry", token(.retry), json + [.purposePersonal, .cardNotFound, .changeRefused]) { $0.cards.retry }
    static let resolveCard = Self(.post, "/v1/cards/{card_id}/resolve", token(.resolve), json + [.purposePersonal, .cardNotFound, .changeRefused]) { $0.cards.resolve }
    static let eraseCard = Self(.delete, "/v1/cards/{card_id}", token(.erase), [.purposePersonal, .cardNotFound, .changeRefused, .fieldInvalid, .fieldDuplicate, .diskSpaceLow]) { $0.cards.erase }
    static let dropFourEyes = Self(.post, "/v1/review/four-eyes/{action}/drop", token(.fourEyes), json + [.purposePersonal, .changeRefused]) { $0.cards.dropFourEyes }
    static let startRun = Self(.post, "/v1/runs", token(.run), json + [.sourceUnknown, .queueFull, .diskSpaceLow]) { $0.runs.start }
    static let listRuns = Self(.get, "/v1/runs", token(.run)) { $0.runs.list }
    static let showRun = Self(.get, "/v1/runs/{run_id}", token(.run), [.runNotFound]) { $0.runs.show }
    static let live = Self(.get, "/healthz", .open) { routes in { _, _, _ in routes.health.live() } }
    static let ready = Self(.get, "/readyz", .open) { routes in { _, _, _ in try await routes.health.ready() } }
    static let metrics = Self(.get, "/metrics", .token([.read])) { routes in { _, _, _ in try await routes.health.scrape() } }
    static let document = Self(.get, "/openapi.json", .open) { _ in { _, _, _ in OpenAPIDocument.answer() } }

    static let all = [
        submitCard, receiveWebhook, listCards, listCases, showCard, showImage, eraseCard, retryCard, resolveCard,
        dropFourEyes, startRun, listRuns, showRun, live, ready, metrics, document,
    ]

    private static func token(_ action: AccessAction) -> Access { .token(action.scopes) }

    private static let intake: [ProblemCode] =
        ProblemCode.image + [
            .queueFull, .diskSpaceLow, .imageTooLarge, .imageMissing,
            .fieldUnknown, .fieldDuplicate, .fieldInvalid, .businessNumberMissing, .businessNumberInvalid,
            .userNumberMissing, .cardUnderway, .submitterConflict, .tooManyPhotos,
        ]
    private static let json: [ProblemCode] = [
        .mediaTypeUnsupported, .jsonInvalid, .fieldUnknown, .fieldDuplicate, .fieldInvalid,
    ]
}
