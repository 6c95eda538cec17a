import HTTPTypes
import Hummingbird

/// Turns every error into problem details, the router's own (404, 405) too.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: BackendContext,
        next: @concurrent (Request, BackendContext) async throws -> Response
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
