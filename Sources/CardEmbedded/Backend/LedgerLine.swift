import Crypto
import FoundationEssentials

/// An answered upload: a line of `refusals.jsonl`, and part of each line of `ledger.jsonl`.
struct UploadLine: Codable, Sendable {
    let time: String
    let key: String
    /// SHA-256 of the content; empty once the document or the refused upload is erased.
    var digest: String
    let code: UploadAnswer.Code
    let message: String
    let items: [UploadAnswer]?

    private enum CodingKeys: String, CodingKey {
        case time = "time"
        case items = "items"
        case key = "idempotency_key"
        case digest = "content_sha256"
        case code = "retcode"
        case message = "retmsg"
    }

    var answer: UploadAnswer { UploadAnswer(self.code, self.message, items: self.items) }

    init(_ upload: Upload, _ answer: UploadAnswer) {
        (self.time, self.key, self.digest) = (Date().formatted(.iso8601), upload.key, upload.digest)
        (self.code, self.message, self.items) = (answer.code, answer.message, answer.items)
    }
}

/// A stored document. An erased document has only its position, side and order.
struct StoredDocument: Codable, Sendable {
    /// 1 for the first that was ever stored, then without gaps.
    let sequence: Int
    /// The position in its upload, from 1.
    let position: Int
    /// The number of lines of its upload after this line; `nil` if it is the only line.
    var following: Int?
    var businessNumber: String
    let kind: SubmittedDocument.Kind
    var userNumber: String
    var imageDigest: String
    /// The image's file, relative to the backend's folder.
    var file: String
    /// Whether it is a back that came before any front of its number.
    let isOutOfOrder: Bool

    private enum CodingKeys: String, CodingKey {
        case sequence = "sequence"
        case position = "position"
        case following = "following"
        case file = "file"
        case businessNumber = "business_no"
        case kind = "doctype"
        case userNumber = "user_no"
        case imageDigest = "image_sha256"
        case isOutOfOrder = "out_of_order"
    }

    var isErased: Bool { self.file.isEmpty }

    /// The name of the file without its number: the files of one side of one business number share it.
    var stem: String { String(self.file.prefix(upTo: self.file.lastIndex(of: "-") ?? self.file.startIndex)) }

    var fileNumber: Int { Int(self.file.split { "-.".contains($0) }.dropLast().last ?? "") ?? 0 }
}

/// A line of `ledger.jsonl`: the members of upload and document in one object.
struct LedgerLine: Sendable {
    var upload: UploadLine
    var document: StoredDocument

    /// The id of the line: no other line has the same.
    var id: String { "\(self.document.position) \(self.upload.key)" }

    /// The line without a person's or a case's data.
    var erased: Self {
        var line = self
        line.upload.digest = ""
        (line.document.businessNumber, line.document.userNumber) = ("", "")
        (line.document.imageDigest, line.document.file) = ("", "")
        return line
    }
}

extension LedgerLine: Codable {
    init(from decoder: any Decoder) throws {
        self.init(upload: try UploadLine(from: decoder), document: try StoredDocument(from: decoder))
    }

    func encode(to encoder: any Encoder) throws {
        try self.upload.encode(to: encoder)
        try self.document.encode(to: encoder)
    }
}

extension SubmittedDocument {
    /// Returns the stem of the files of one side of its business number.
    func fileStem(of side: Kind) -> String { "documents/\(Self.folder(named: self.businessNumber))/\(side.rawValue)" }

    /// Encodes a received text as the unique name of one folder, never as a path.
    ///
    /// ASCII letters, digits, `-`, `_` and inner dots stay; every other byte becomes `%` and two hexadecimal digits, so
    /// two texts never share a name. A name that would be too long is cut and ends with `~` and the text's SHA-256.
    private static func folder(named text: String) -> String {
        var name = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
            let isUnchanged = isPlain || (character == "." && !name.isEmpty)
            name += isUnchanged ? String(character) : "%\(Hexadecimal.text(CollectionOfOne(byte)))"
        }
        guard name.count > Limits.folderNameBytes else { return name }
        let digest = Hexadecimal.text(SHA256.hash(data: Array(text.utf8)))
        return name.prefix(Limits.folderNameBytes - digest.count - 1) + "~" + digest
    }
}
