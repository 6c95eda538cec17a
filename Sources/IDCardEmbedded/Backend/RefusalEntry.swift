/// One refused upload, one line of `refusals.jsonl`: the answer must be the same when its key comes again.
package struct RefusalEntry: Codable, Sendable, Equatable {
    /// When it was refused: ISO 8601, UTC.
    package let time: String
    /// The request's `Idempotency-Key`, without its quotes.
    package let idempotencyKey: String
    /// SHA-256 of the request's content, in hexadecimal.
    package let contentDigest: String
    /// RETCODE of the answer.
    package let replyCode: String
    /// RETMSG of the answer.
    package let replyMessage: String
    /// The answers document by document, where the upload held several.
    package let items: [UploadAnswer.Item]?

    private enum CodingKeys: String, CodingKey {
        case time
        case idempotencyKey = "idempotency_key"
        case contentDigest = "content_sha256"
        case replyCode = "retcode"
        case replyMessage = "retmsg"
        case items
    }

    /// The answer to the upload.
    var answer: UploadAnswer { UploadAnswer(code: self.replyCode, message: self.replyMessage, items: self.items) }
}

extension RefusalEntry: JournalEntry {
    var isLastOfGroup: Bool { true }
}
