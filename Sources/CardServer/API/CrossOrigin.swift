import CardModel
import HTTPTypes
import Hummingbird

/// Which pages of other origins a browser lets talk to this server (Fetch standard, CORS protocol); none by default.
struct CrossOrigin: Sendable {
    /// The origins, such as `https://cards.example.com`.
    let origins: Set<String>

    private static let exposed = [
        "Location", "Request-Id", "RateLimit", "RateLimit-Policy", "Retry-After", "Idempotent-Replayed",
    ]
    private static let requestFields: [String] =
        ["Authorization", "Content-Type", "Idempotency-Key", "Card-Why", "Card-Reason"]
        + SubmittedField.allCases.map(\.headerName.rawName)

    /// Answers a browser that asks before it sends; `nil` if the request is something else.
    func preflight(_ request: Request) -> Response? {
        guard request.method == .options, let origin = request.headers[.origin], self.origins.contains(origin),
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

    /// Lets a page read an answer.
    func allow(_ request: Request, in response: inout Response) {
        guard !self.origins.isEmpty else { return }
        response.headers[.vary] = "Origin"
        guard let origin = request.headers[.origin], self.origins.contains(origin) else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.exposedHeaders] = Self.exposed.joined(separator: ", ")
    }
}
