import HTTPTypes
import Hummingbird

/// Answers what the router itself refuses (no such path or method) in the vendor's words.
struct VerifierFaultMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: VerifierContext,
        next: @concurrent (Request, VerifierContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound || error.status == .methodNotAllowed {
            return try VerifierReplies.response(to: .unknownPath, mark: nil, errorKey: "error_message")
        }
    }
}
