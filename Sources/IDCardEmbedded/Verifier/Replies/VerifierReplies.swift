import FoundationEssentials
import HTTPTypes
import Hummingbird

/// Makes HTTP responses of readings and faults.
enum VerifierReplies {
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

    /// Words what was read.
    ///
    /// - Parameters:
    ///   - text: What was read; `nil` if no card was seen.
    ///   - withLegality: Whether the scores are given.
    static func response(
        to text: CardText?,
        in dialect: EmbeddedVerifier.Dialect,
        mark: RequestMark,
        withLegality: Bool
    ) throws -> Response {
        switch dialect {
        case .faceIDv1:
            try self.json(FaceIDv1Answer(text, mark: mark, withLegality: withLegality), status: .ok)
        case .faceppv1:
            try self.json(Faceppv1Answer(text, mark: mark, withLegality: withLegality), status: .ok)
        case .faceIDv3:
            try self.json(FaceIDv3Answer(text, mark: mark), status: .ok)
        }
    }

    /// Words a fault.
    static func response(to fault: VerifierFault, mark: RequestMark?, errorKey: String) throws -> Response {
        var response: Response
        switch fault.page {
        case .text:
            response = self.response("text/plain", ByteBuffer(string: fault.message), status: fault.status)
        case .html:
            response = self.response("text/html", ByteBuffer(string: self.page(of: fault)), status: fault.status)
        case nil:
            let failure = Failure(
                mark: fault.namesRequest ? mark : nil,
                message: fault.message,
                errorKey: errorKey
            )
            response = try self.json(failure, status: fault.status)
        }
        if fault.endsConnection { response.headers[.connection] = "close" }
        return response
    }

    /// The page that the front server makes of a status by itself.
    private static func page(of fault: VerifierFault) -> String {
        let title = "\(fault.status.code) \(fault.message)"
        return "<html>\r\n<head><title>\(title)</title></head>\r\n<body>\r\n<center><h1>\(title)</h1></center>\r\n"
            + "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
    }

    private static func json(_ value: some Encodable, status: HTTPResponse.Status) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return self.response(
            "application/json; charset=utf-8",
            ByteBuffer(bytes: try encoder.encode(value)),
            status: status
        )
    }

    private static func response(_ type: String, _ body: ByteBuffer, status: HTTPResponse.Status) -> Response {
        Response(
            status: status,
            headers: [.contentType: type, .contentLength: "\(body.readableBytes)"],
            body: .init(byteBuffer: body)
        )
    }
}
