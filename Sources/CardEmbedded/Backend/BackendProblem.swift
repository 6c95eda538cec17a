import HTTPTypes
import Hummingbird

/// An HTTP error as RFC 9457 problem details.
struct BackendProblem: HTTPResponseError {
    private struct Details: Encodable {
        let type = "about:blank"
        let title: String
        let status: Int
        let code: String
    }

    let status: HTTPResponse.Status
    /// The reason for programs; stable.
    let code: String
    /// The reason for people; no personal data.
    let title: String
    /// Whether the connection ends with the answer, because the rest of the body is not wanted.
    var endsConnection = false

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let details = Details(title: self.title, status: self.status.code, code: self.code)
        var response = try Response(self.status, json: details, contentType: "application/problem+json")
        if self.endsConnection { response.headers[.connection] = "close" }
        return response
    }
}

/// Turns every error into problem details, the router's own (404, 405) too.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: ConnectionContext,
        next: @concurrent (Request, ConnectionContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let problem as BackendProblem {
            return try problem.response(from: request, context: context)
        } catch let error as HTTPError {
            let problem = BackendProblem(
                status: error.status,
                code: "http_\(error.status.code)",
                title: error.status.reasonPhrase
            )
            return try problem.response(from: request, context: context)
        }
    }
}
