import CardModel
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// Adds to every request: an id, problem answers for errors, restrictive header fields, a log line and metrics.
struct Envelope: RouterMiddleware {
    /// Header fields of every answer.
    static let fixedFields: [(HTTPField.Name, String)] = [
        (.cacheControl, "no-store"),
        (.xContentTypeOptions, "nosniff"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
        (.referrerPolicy, "no-referrer"),
    ]

    let metrics: ServerMetrics
    /// The origins, such as `https://cards.example.com`, whose pages may use this server from a browser.
    let origins: Set<String>
    let logger: Logger

    func handle(
        _ request: Request,
        context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        try await MessageCatalogue.$requested.withValue(Self.language(of: request)?.catalogue) {
            try await self.answer(request, context: context, next: next)
        }
    }

    /// The supported language that the client prefers (RFC 9110 section 12.5.4); `nil` if it accepts none of them.
    static func language(of request: Request) -> Language? {
        let ranges = request.headers[values: .acceptLanguage].flatMap { $0.split(separator: ",") }.map { range in
            let parts = range.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            return (language: Language(rawValue: String((parts.first ?? "").prefix { $0 != "-" })), weight: weight)
        }
        let supported = ranges.filter { $0.language != nil && $0.weight > 0 }
        let highest = supported.map(\.weight).max()
        return supported.first { $0.weight == highest }?.language
    }

    /// Answers a request; makes a problem answer of an error.
    private func answer(
        _ request: Request,
        context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var response: Response
        do {
            response =
                if let preflight = self.preflight(request) { preflight } else { try await next(request, context) }
        } catch {
            var problem = Problem(cause: error)
            if problem.code == .notFound { problem = APIOperation.missing(request) }
            context.record.update { [problem] in $0.problem = (problem.code, error) }
            if ConsoleRoute.contains(request.uri.path) {
                let page = ConsolePage.problem(problem, because: error, requestID: context.record.id)
                response = page.response(for: ConsoleRequest(request: request, context: context))
            } else {
                let body = problem.document(requestID: context.record.id)
                response = Response(status: problem.code.status, headers: problem.fields, body: .init(byteBuffer: body))
            }
        }
        if let problem = context.record.known.problem, problem.code.status.kind == .serverError {
            self.report(problem.error, as: problem.code, context: context)
        }
        self.complete(&response, request: request, context: context)
        // An answer to HEAD never has content, not even a problem (RFC 9110 section 9.3.2).
        if request.method == .head { response = response.createHeadResponse() }
        self.report(request, context: context, response: response, took: ContinuousClock.now - start)
        return response
    }

    /// Logs only the kind of an error: its text may quote what the client sent.
    private func report(_ error: any Error, as code: ProblemCode, context: ServerContext) {
        let kind = (error as? CodedError)?.code.rawValue ?? "\(type(of: error))"
        let metadata: Logger.Metadata = [
            "request.id": "\(context.record.id)", "http.code": "\(code.name)", "http.error": "\(kind)",
        ]
        self.logger.log(level: code == .internalError ? .error : .warning, "request failed", metadata: metadata)
    }

    private func complete(_ response: inout Response, request: Request, context: ServerContext) {
        for (name, value) in Self.fixedFields where response.headers[name] == nil { response.headers[name] = value }
        response.headers[.vary] = "Accept, Accept-Language"
        response.headers[.requestID] = context.record.id
        if let status = context.record.known.rateLimit {
            response.headers[.rateLimitPolicy] = status.policyField
            response.headers[.rateLimit] = status.field
        }
        guard !self.origins.isEmpty else { return }
        response.headers[.vary] = "Accept, Accept-Language, Origin"
        guard let origin = self.origin(of: request) else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] =
            "Location, Request-Id, RateLimit, RateLimit-Policy, Retry-After, Idempotent-Replayed"
    }

    private func report(_ request: Request, context: ServerContext, response: Response, took: Duration) {
        let known = context.record.known
        // For a request without an operation, Hummingbird's context has a word of its own instead of a path.
        let paths = APIOperation.all.map(\.path) + ConsoleRoute.all.map(\.path)
        let route = paths.first { $0 == context.endpointPath } ?? "none"
        let method = APIOperation.methods.contains(request.method) ? request.method.rawValue : "other"
        self.metrics.add(.requests, [method, route, "\(response.status.code)"])
        self.metrics.add(.duration, [route], took: took)
        self.metrics.add(.bodyBytes, by: Double(known.bodyBytes))
        var metadata: Logger.Metadata = [
            "request.id": "\(context.record.id)", "http.method": "\(method)", "http.route": "\(route)",
            "http.status": "\(response.status.code)", "http.code": "\(known.problem?.code.name ?? "none")",
            "http.milliseconds": "\(took.wholeMilliseconds)", "http.bytes": "\(known.bodyBytes)",
            "token.name": "\(known.caller ?? "none")",
        ]
        if let card = self.card(in: response, to: request) { metadata["card.id"] = "\(card)" }
        if let refusal = known.webhookRefusal { metadata["webhook.refusal"] = "\(refusal)" }
        // Monitoring programs ask for these every few seconds.
        let isRoutine = response.status == .ok && [APIOperation.live, .ready, .metrics].contains { $0.path == route }
        self.logger.log(level: isRoutine ? .debug : .info, "request answered", metadata: metadata)
    }

    /// The card that an answer is about: its id in `Location`, else in the path; other paths may hold anything.
    private func card(in response: Response, to request: Request) -> Substring? {
        let card = /\/(?:v1|console)\/cards\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/\w+)?/
        return (response.headers[.location] ?? request.uri.path).wholeMatch(of: card)?.1
    }

    // MARK: Pages of other origins (Fetch standard, CORS protocol)

    private static let requestFields: [String] =
        ["Accept-Language", "Authorization", "Content-Type", "Idempotency-Key", "Card-Why", "Card-Reason"]
        + SubmittedField.allCases.map(\.headerName.rawName)

    private func origin(of request: Request) -> String? {
        request.headers[.origin].flatMap { self.origins.contains($0) ? $0 : nil }
    }

    /// Answers a preflight of a browser; `nil` for any other request.
    private func preflight(_ request: Request) -> Response? {
        guard request.method == .options, self.origin(of: request) != nil,
            request.headers[.accessControlRequestMethod] != nil
        else { return nil }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: APIOperation.methods.map(\.rawValue).sorted().joined(separator: ", "),
                .accessControlAllowHeaders: Self.requestFields.joined(separator: ", "),
                .accessControlMaxAge: "600",
            ]
        )
    }
}
