import Foundation
import HTTPTypes
import Hummingbird

/// Answers in JSON.
enum JSONAnswer {
    /// Encodes a value of ours: keys sorted, slashes bare.
    static func data(of value: some Encodable) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only a figure that is no number cannot be encoded, and none of our values holds one.
        return (try? encoder.encode(value)) ?? Data("{}".utf8)
    }

    /// Makes a response of a value.
    static func response(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields()
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(
            status: status,
            headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: self.data(of: value)))
        )
    }
}
