import HTTPTypes
import Hummingbird

/// An error in the vendor's vocabulary: the string is the contract, the status goes with it.
struct VerifierFault: Error, Equatable {
    /// What a front server answers instead of JSON.
    enum Page: Equatable {
        /// The message alone, as the vendor documents it.
        case text
        /// The front server's own page, as programs met it.
        case html
    }

    let status: HTTPResponse.Status
    /// The error string, for example `MISSING_ARGUMENTS: image`.
    let message: String
    /// How the reply is worded when it is not JSON, as the front server answers before any program sees the request.
    var page: Page?
    /// Whether `request_id` and `time_used` are given; the vendor leaves them out on an unknown path.
    var namesRequest = true
    /// Whether the connection ends with the answer, because the rest of the body is not wanted.
    var endsConnection = false

    /// Key unknown, or the secret is not the key's.
    static let authentication = VerifierFault(status: .unauthorized, message: "AUTHENTICATION_ERROR")

    /// More requests at once than allowed.
    static let concurrency = VerifierFault(
        status: .forbidden,
        message: "CONCURRENCY_LIMIT_EXCEEDED",
        endsConnection: true
    )

    /// No such path or method.
    static let unknownPath = VerifierFault(status: .notFound, message: "API_NOT_FOUND", namesRequest: false)

    /// The whole body is over the limit.
    static func bodyTooLarge(_ dialect: EmbeddedVerifier.Dialect) -> VerifierFault {
        VerifierFault(
            status: .contentTooLarge,
            message: "Request Entity Too Large",
            page: dialect == .faceppv1 ? .html : .text,
            endsConnection: true
        )
    }

    /// The image is over the limit.
    static func imageTooLarge(_ dialect: EmbeddedVerifier.Dialect) -> VerifierFault {
        VerifierFault(status: .badRequest, message: dialect.imageError("IMAGE_FILE_TOO_LARGE"))
    }

    /// The picture has too many or too few pixels.
    static func imageSize(_ dialect: EmbeddedVerifier.Dialect) -> VerifierFault {
        VerifierFault(status: .badRequest, message: dialect.imageError("INVALID_IMAGE_SIZE"))
    }

    /// The bytes are no JPEG that can be decoded.
    static func imageFormat(_ dialect: EmbeddedVerifier.Dialect) -> VerifierFault {
        VerifierFault(status: .badRequest, message: dialect.imageError("IMAGE_ERROR_UNSUPPORTED_FORMAT"))
    }

    /// Two kinds of credentials at once.
    static let coexistence = VerifierFault(status: .badRequest, message: "COEXISTENCE_ARGUMENTS")

    /// The account may not use a parameter.
    static func notPermitted(_ part: String) -> VerifierFault {
        VerifierFault(status: .forbidden, message: "INSUFFICIENT_PERMISSION:\(part)")
    }

    /// Something failed here.
    static let `internal` = VerifierFault(status: .internalServerError, message: "INTERNAL_ERROR")

    /// A required part is missing.
    static func missing(_ part: String) -> VerifierFault {
        VerifierFault(status: .badRequest, message: "MISSING_ARGUMENTS: \(part)")
    }

    /// A part has a value that is not allowed.
    static func bad(_ part: String) -> VerifierFault {
        VerifierFault(status: .badRequest, message: "BAD_ARGUMENTS:\(part)")
    }
}

extension VerifierFault {
    /// The body of an error.
    private struct Failure: Encodable {
        /// The key of the error string, which is the dialect's.
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(_ text: String) { self.stringValue = text }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        let mark: RequestMark?
        let message: String
        let errorKey: String

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encodeIfPresent(self.mark?.id, forKey: Key("request_id"))
            try container.encodeIfPresent(self.mark?.milliseconds, forKey: Key("time_used"))
            try container.encode(self.message, forKey: Key(self.errorKey))
        }
    }

    /// The response; its JSON names the request, where the vendor's does.
    func response(mark: RequestMark?, errorKey: String) throws -> Response {
        var response: Response
        switch self.page {
        case .text: response = Response(self.status, "text/plain", self.message.utf8)
        case .html: response = Response(self.status, "text/html", self.frontServerPage.utf8)
        case nil:
            let failure = Failure(mark: self.namesRequest ? mark : nil, message: self.message, errorKey: errorKey)
            response = try Response(self.status, json: failure, contentType: RequestMark.contentType)
        }
        if self.endsConnection { response.headers[.connection] = "close" }
        return response
    }

    /// The page that the front server makes of a status by itself.
    private var frontServerPage: String {
        let title = "\(self.status.code) \(self.message)"
        return "<html>\r\n<head><title>\(title)</title></head>\r\n<body>\r\n<center><h1>\(title)</h1></center>\r\n"
            + "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
    }
}

/// Answers what the router itself refuses (no such path or method) in the vendor's words.
struct VerifierFaultMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: ConnectionContext,
        next: @concurrent (Request, ConnectionContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound || error.status == .methodNotAllowed {
            return try VerifierFault.unknownPath.response(mark: nil, errorKey: "error_message")
        }
    }
}
