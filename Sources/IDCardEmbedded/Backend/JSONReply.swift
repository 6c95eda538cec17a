import FoundationEssentials
import Hummingbird

/// Answers in JSON.
enum JSONReply {
    /// Makes a response of a value.
    static func response(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        contentType: String = "application/json"
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = ByteBuffer(bytes: try encoder.encode(value))
        return Response(
            status: status,
            headers: [.contentType: contentType, .contentLength: "\(body.readableBytes)"],
            body: .init(byteBuffer: body)
        )
    }
}
