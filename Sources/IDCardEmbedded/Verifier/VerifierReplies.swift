import FoundationEssentials
import HTTPTypes
import Hummingbird

/// Makes HTTP responses of replies and faults.
enum VerifierReplies {
    private struct Failure: Encodable {
        let requestID: String?
        let milliseconds: Int?
        let message: String

        enum CodingKeys: String, CodingKey {
            case requestID = "request_id"
            case milliseconds = "time_used"
            case message = "error_message"
        }
    }

    static func response(to reply: VerifierReply) throws -> Response {
        try self.json(reply, status: .ok)
    }

    static func response(to fault: VerifierFault, mark: RequestMark?) throws -> Response {
        var response: Response
        if fault.isPlainText {
            let body = ByteBuffer(string: fault.message)
            response = Response(
                status: fault.status,
                headers: [.contentType: "text/plain", .contentLength: "\(body.readableBytes)"],
                body: .init(byteBuffer: body)
            )
        } else {
            let named = fault.namesRequest ? mark : nil
            let failure = Failure(requestID: named?.id, milliseconds: named?.milliseconds, message: fault.message)
            response = try self.json(failure, status: fault.status)
        }
        if fault.endsConnection { response.headers[.connection] = "close" }
        return response
    }

    private static func json(_ value: some Encodable, status: HTTPResponse.Status) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = ByteBuffer(bytes: try encoder.encode(value))
        return Response(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8", .contentLength: "\(body.readableBytes)"],
            body: .init(byteBuffer: body)
        )
    }
}
