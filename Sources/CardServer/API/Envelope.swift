import CardModel
import HTTPTypes
import Hummingbird
import Logging

/// What every request gets: a name, an answer whatever happens, header fields that keep browsers and caches off, a line
/// in the log, a place in the figures.
struct Envelope: RouterMiddleware {
    /// Header fields of every answer.
    static let fixedFields: [(HTTPField.Name, String)] = [
        (.cacheControl, "no-store"),
        (.xContentTypeOptions, "nosniff"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
        (.referrerPolicy, "no-referrer"),
    ]

    let metrics: ServerMetrics
    let origins: CrossOrigin
    let logger: Logger

    func handle(
        _ request: Request,
        context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var code: ProblemCode?
        var response: Response
        do {
            if let preflight = self.origins.preflight(request) {
                response = preflight
            } else {
                response = try await next(request, context)
            }
        } catch {
            var problem = Problem(cause: error)
            if problem.code == .notFound { problem = APIOperation.missing(request) }
            if problem.code.status.kind == .serverError { self.report(error, as: problem.code, context: context) }
            code = problem.code
            response = problem.response(requestID: context.record.id)
        }
        self.complete(&response, request: request, context: context)
        // Whatever it is, the answer to HEAD has no content (RFC 9110 section 9.3.2).
        if request.method == .head { response = response.createHeadResponse() }
        self.report(request, context: context, response: response, code: code, took: ContinuousClock.now - start)
        return response
    }

    /// The kind of an error alone: its text may quote what a stranger sent.
    private func report(_ error: any Error, as code: ProblemCode, context: ServerContext) {
        let kind = (error as? CodedError)?.code.rawValue ?? "\(type(of: error))"
        self.logger.log(
            level: code == .internalError ? .error : .warning,
            "request failed",
            metadata: [
                "request.id": "\(context.record.id)", "http.code": "\(code.name)", "http.error": "\(kind)",
            ]
        )
    }

    private func complete(_ response: inout Response, request: Request, context: ServerContext) {
        for (name, value) in Self.fixedFields { response.headers[name] = value }
        response.headers[.requestID] = context.record.id
        if let standing = context.record.known.rateLimit {
            response.headers[.rateLimitPolicy] = standing.policyField
            response.headers[.rateLimit] = standing.field
        }
        self.origins.allow(request, in: &response)
    }

    private func report(
        _ request: Request,
        context: ServerContext,
        response: Response,
        code: ProblemCode?,
        took: Duration
    ) {
        let known = context.record.known
        let route = known.route ?? context.endpointPath ?? "none"
        let method = APIOperation.methods.contains(request.method) ? request.method.rawValue : "other"
        self.metrics.count(method: method, route: route, status: response.status.code, took: took)
        self.metrics.add(.bodyBytes, by: Double(known.bodyBytes))
        // Asked every few seconds by machines.
        let isRoutine = response.status == .ok && [APIOperation.live, .ready, .figures].contains { $0.path == route }
        self.logger.log(
            level: isRoutine ? .debug : .info,
            "request answered",
            metadata: [
                "request.id": "\(context.record.id)", "http.method": "\(method)", "http.route": "\(route)",
                "http.status": "\(response.status.code)", "http.code": "\(code?.name ?? "none")",
                "http.milliseconds": "\(took.wholeMilliseconds)", "http.bytes": "\(known.bodyBytes)",
                "token.name": "\(known.caller ?? "none")",
            ]
        )
    }
}
