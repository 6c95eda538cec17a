import FoundationEssentials
import GRDB

/// One accepted document, one line of `ledger.jsonl`.
package struct LedgerEntry: Codable, Sendable, Equatable {
    /// 1 for the first document ever accepted, then without gaps.
    package let sequence: Int
    /// When it was accepted: ISO 8601, UTC.
    package let time: String
    /// The request's `Idempotency-Key`, without its quotes.
    package let idempotencyKey: String
    /// The document's place in its upload, from 1.
    package let position: Int
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
    /// The image's file, relative to the backend's folder; empty for an erased document.
    package let file: String
    /// Whether a back came before any front of its business number.
    package let isOutOfOrder: Bool
    /// The answer that is repeated when the key comes again.
    package let replyCode: String
    /// The answer's text.
    package let replyMessage: String
    /// The answers document by document, where the upload held several.
    package let items: [UploadAnswer.Item]?
    /// How many lines of the same upload follow; `nil` where it is the only one.
    package let following: Int?

    private enum CodingKeys: String, CodingKey {
        case sequence, time, position, file, items, following
        case idempotencyKey = "idempotency_key"
        case businessNumber = "business_no"
        case documentType = "doctype"
        case userNumber = "user_no"
        case imageDigest = "image_sha256"
        case contentDigest = "content_sha256"
        case isOutOfOrder = "out_of_order"
        case replyCode = "retcode"
        case replyMessage = "retmsg"
    }

    /// The rows of a ledger after one of its sequence numbers, without the images.
    static let query = """
        SELECT document.sequence, time, idempotency_key, position, business_no, doctype, user_no, image_sha256,
            iif(image IS NULL, '', content_sha256) AS content_sha256, number, out_of_order, retcode, retmsg, items,
            (SELECT count(*) FROM document AS other WHERE other.upload = upload.id) AS documents,
            (SELECT count(*) FROM document AS other
                WHERE other.upload = upload.id AND other.sequence > document.sequence) AS following
        FROM document JOIN upload ON upload.id = document.upload
        WHERE document.sequence > ? ORDER BY document.sequence
        """

    init(row: Row) throws {
        let answer = try UploadAnswer(row: row)
        let (businessNumber, documentType) = (row["business_no"] as String, row["doctype"] as String)
        self.sequence = row["sequence"]
        self.time = row["time"]
        self.idempotencyKey = row["idempotency_key"]
        self.position = row["position"]
        self.businessNumber = businessNumber
        self.documentType = documentType
        self.userNumber = row["user_no"]
        self.imageDigest = row["image_sha256"]
        self.contentDigest = row["content_sha256"]
        self.file =
            businessNumber.isEmpty
            ? "" : "documents/\(FolderName.sanitized(businessNumber))/\(documentType)-\(row["number"] as Int).jpg"
        self.isOutOfOrder = row["out_of_order"]
        self.replyCode = answer.code
        self.replyMessage = answer.message
        self.items = answer.items
        self.following = row["documents"] as Int > 1 ? row["following"] : nil
    }
}

/// One refused upload, one line of `refusals.jsonl`.
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
        case time, items
        case idempotencyKey = "idempotency_key"
        case contentDigest = "content_sha256"
        case replyCode = "retcode"
        case replyMessage = "retmsg"
    }

    /// The refused uploads after one of their numbers.
    static let query = """
        SELECT id, time, idempotency_key, content_sha256, retcode, retmsg, items FROM upload
        WHERE is_refusal AND id > ? ORDER BY id
        """

    init(row: Row) throws {
        let answer = try UploadAnswer(row: row)
        self.time = row["time"]
        self.idempotencyKey = row["idempotency_key"]
        self.contentDigest = row["content_sha256"]
        self.replyCode = answer.code
        self.replyMessage = answer.message
        self.items = answer.items
    }
}

extension UploadAnswer {
    /// The answer that was stored with an upload.
    init(row: Row) throws {
        let items = try (row["items"] as String?).map { try JSONDecoder().decode([Item].self, from: Data($0.utf8)) }
        self.init(code: row["retcode"], message: row["retmsg"], items: items)
    }
}
