/// One accepted document, one line of `ledger.jsonl`.
package struct LedgerEntry: Codable, Sendable, Equatable {
    /// 1 for the first document ever accepted, then without gaps.
    package let sequence: Int
    /// When it was accepted: ISO 8601, UTC.
    package let time: String
    /// The request's `Idempotency-Key`, without its quotes.
    package let idempotencyKey: String
    /// BUSINESSNO.
    package let businessNumber: String
    /// DOCTYPE.
    package let documentType: String
    /// USERNO.
    package let userNumber: String
    /// SHA-256 of the image, in hexadecimal.
    package let imageDigest: String
    /// SHA-256 of the request's body, in hexadecimal.
    package let contentDigest: String
    /// The image's file, relative to the backend's folder.
    package let file: String
    /// Whether a back came before any front of its business number.
    package let isOutOfOrder: Bool
    /// The answer that is repeated when the key comes again.
    package let replyCode: String
    /// The answer's text.
    package let replyMessage: String

    private enum CodingKeys: String, CodingKey {
        case sequence, time
        case idempotencyKey = "idempotency_key"
        case businessNumber = "business_no"
        case documentType = "doctype"
        case userNumber = "user_no"
        case imageDigest = "image_sha256"
        case contentDigest = "content_sha256"
        case file
        case isOutOfOrder = "out_of_order"
        case replyCode = "retcode"
        case replyMessage = "retmsg"
    }
}
