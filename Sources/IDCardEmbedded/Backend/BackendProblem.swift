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
        var response = try JSONReply.response(details, status: self.status, contentType: "application/problem+json")
        if self.endsConnection { response.headers[.connection] = "close" }
        return response
    }
}
