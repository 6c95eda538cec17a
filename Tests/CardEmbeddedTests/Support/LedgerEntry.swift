/// One accepted document, one line of `ledger.jsonl`.
struct LedgerEntry: Decodable {
    let sequence: Int
    let idempotencyKey: String
    let position: Int
    let businessNumber: String
    let documentType: String
    let userNumber: String
    let imageDigest: String
    let contentDigest: String
    let file: String
    let isOutOfOrder: Bool
    let following: Int?

    private enum CodingKeys: String, CodingKey {
        case sequence, position, file, following
        case idempotencyKey = "idempotency_key"
        case businessNumber = "business_no"
        case documentType = "doctype"
        case userNumber = "user_no"
        case imageDigest = "image_sha256"
        case contentDigest = "content_sha256"
        case isOutOfOrder = "out_of_order"
    }
}

/// One refused upload, one line of `refusals.jsonl`.
struct RefusalEntry: Decodable {
    let replyCode: String

    private enum CodingKeys: String, CodingKey {
        case replyCode = "retcode"
    }
}
