import HTTPTypes
import Hummingbird

/// An error of the vendor's API: clients rely on the string; each string has a status.
struct VerifierFault: Error, Equatable {
    /// The body of a front server's answer instead of JSON.
    enum Page: Equatable {
        /// The message alone, as the vendor documents it.
        case text
        /// The front server's own page, as observed in practice.
        case html
    }

    let status: HTTPResponse.Status
    /// The error string, for example `MISSING_ARGUMENTS: image`.
    let message: String
    /// The body of a reply that is not JSON, as the front server gives it before the application gets the request.
    var page: Page?
    /// Whether the connection is closed after the answer, because the rest of the body is not read.
    var endsConnection = false

    /// Key unknown, or the secret is not the key's.
    static let authentication = Self(status: .unauthorized, message: "AUTHENTICATION_ERROR")
    /// More requests at once than allowed.
    static let concurrency = Self(status: .forbidden, message: "CONCURRENCY_LIMIT_EXCEEDED", endsConnection: true)
    /// Two kinds of credentials at once.
    static let coexistence = Self(status: .badRequest, message: "COEXISTENCE_ARGUMENTS")
    /// Requested by the card's ``TestName``.
    static let unavailable = Self(status: .serviceUnavailable, message: "Service Unavailable", page: .text)
    static let `internal` = Self(status: .internalServerError, message: "INTERNAL_ERROR")

    static func missing(_ part: String) -> Self { Self(status: .badRequest, message: "MISSING_ARGUMENTS: \(part)") }

    /// A part has a value that is not allowed.
    static func bad(_ part: String) -> Self { Self(status: .badRequest, message: "BAD_ARGUMENTS:\(part)") }

    /// The account may not use a parameter.
    static func notPermitted(_ part: String) -> Self {
        Self(status: .forbidden, message: "INSUFFICIENT_PERMISSION:\(part)")
    }

    static func image(_ code: String, _ dialect: EmbeddedVerifier.Dialect) -> Self {
        Self(status: .badRequest, message: dialect.imageError(code))
    }

    /// The whole body is over the limit.
    static func bodyTooLarge(_ dialect: EmbeddedVerifier.Dialect) -> Self {
        let page: Page = dialect == .faceppv1 ? .html : .text
        return Self(status: .contentTooLarge, message: "Request Entity Too Large", page: page, endsConnection: true)
    }

    func response(in dialect: EmbeddedVerifier.Dialect, mark: RequestMark) throws -> Response {
        var response: Response
        switch self.page {
        case .text: response = Response(self.status, "text/plain", self.message.utf8)
        case .html: response = Response(self.status, "text/html", self.frontServerPage.utf8)
        case nil:
            var members = mark.members
            members[dialect.errorKey] = .text(self.message)
            response = try Response(self.status, json: .object(present: members), contentType: Self.contentType)
        }
        if self.endsConnection { response.headers[.connection] = "close" }
        return response
    }

    /// The type of the vendor's replies in JSON.
    static let contentType = "application/json; charset=utf-8"

    private var frontServerPage: String {
        let title = "\(self.status.code) \(self.message)"
        return "<html>\r\n<head><title>\(title)</title></head>\r\n<body>\r\n<center><h1>\(title)</h1></center>\r\n"
            + "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
    }
}
