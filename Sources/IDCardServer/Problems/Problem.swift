import Foundation
import HTTPTypes
import Hummingbird

/// A refusal as RFC 9457 problem details; thrown wherever a request cannot be carried out.
struct Problem: Error {
    /// The reason, for programs.
    var code: ProblemCode
    /// What exactly, for people: never what a stranger sent.
    var detail: String?
    /// When it is worth trying again; sent as `Retry-After` in whole seconds, at least one.
    var retryAfter: Duration?
    /// Further header fields.
    var headers = HTTPFields()
    /// Whether the connection ends with the answer.
    var endsConnection = false

    /// Describes a refusal.
    init(_ code: ProblemCode, _ detail: String? = nil, retryAfter: Duration? = nil, endsConnection: Bool = false) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
        self.endsConnection = endsConnection
    }

    /// The media type of problem details.
    static let mediaType = "application/problem+json"

    private struct Document: Encodable {
        let type: String
        let title: String
        let status: Int
        let code: ProblemCode
        let detail: String?
        let requestID: String

        enum CodingKeys: String, CodingKey {
            case type, title, status, code, detail
            case requestID = "request_id"
        }
    }

    /// The body.
    func document(requestID: String) -> Data {
        let document = Document(
            type: "urn:idcard-pipeline:problem:\(self.code.rawValue)",
            title: self.code.title,
            status: self.code.status.code,
            code: self.code,
            detail: self.detail,
            requestID: requestID
        )
        return JSONAnswer.data(of: document)
    }

    /// The whole answer.
    func response(requestID: String) -> Response {
        var headers = self.headers
        headers[.contentType] = Self.mediaType
        if let retryAfter = self.retryAfter { headers[.retryAfter] = "\(retryAfter.wholeSecondsUp)" }
        if self.endsConnection { headers[.connection] = "close" }
        let body = ByteBuffer(bytes: self.document(requestID: requestID))
        return Response(status: self.code.status, headers: headers, body: .init(byteBuffer: body))
    }
}

extension Duration {
    /// Whole seconds, rounded up, at least one: what `Retry-After` takes.
    var wholeSecondsUp: Int64 {
        let (seconds, attoseconds) = self.components
        return max(1, seconds + (attoseconds > 0 ? 1 : 0))
    }
}
