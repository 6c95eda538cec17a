/// One accepted document, one line of `ledger.jsonl`.
package struct LedgerEntry: Codable, Sendable, Equatable {
    /// 1 for the first document ever accepted, then without gaps.
    package let sequence: Int
    /// When it was accepted: ISO 8601, UTC.
    package let time: String
    /// The request's `Idempotency-Key`, without its quotes.
    package let idempotencyKey: String
    /// The document's place in its upload, from 1; `nil` in the lines of earlier versions, which took one per upload.
    package let position: Int?
    /// BUSINESSNO.
    package let businessNumber: String
    /// DOCTYPE.
    package let documentType: String
    /// USERNO.
    package let userNumber: String
    /// SHA-256 of the image, in hexadecimal.
    package let imageDigest: String
    /// SHA-256 of the request's content, in hexadecimal.
    package let contentDigest: String
    /// The image's file, relative to the backend's folder.
    package let file: String
    /// Whether a back came before any front of its business number.
    package let isOutOfOrder: Bool
    /// The answer that is repeated when the key comes again.
    package let replyCode: String
    /// The answer's text.
    package let replyMessage: String
    /// The answers document by document, where the upload held several.
    package let items: [UploadAnswer.Item]?
    /// How many lines of the same upload follow; `nil` for none. An upload whose last line is missing never was
    /// answered.
    package let following: Int?

    private enum CodingKeys: String, CodingKey {
        case sequence, time, position
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
        case items, following
    }

    /// The answer to the upload.
    var answer: UploadAnswer { UploadAnswer(code: self.replyCode, message: self.replyMessage, items: self.items) }
}

extension LedgerEntry: JournalEntry {
    var isLastOfGroup: Bool { (self.following ?? 0) == 0 }
}
