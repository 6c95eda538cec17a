import Crypto
import FoundationEssentials
import GRDB

/// The lines of `ledger.jsonl` and `refusals.jsonl`: the rows that they come from, and the names of their members.
enum LedgerLine {
    /// The documents after one of their numbers, without the images.
    static let documents = """
        SELECT document.sequence, time, idempotency_key, position, business_no, doctype, user_no, image_sha256,
            iif(image IS NULL, '', content_sha256) AS content_sha256, number, out_of_order, retcode, retmsg, items,
            (SELECT count(*) FROM document AS other WHERE other.upload = upload.id) AS documents,
            (SELECT count(*) FROM document AS other
                WHERE other.upload = upload.id AND other.sequence > document.sequence) AS following
        FROM document JOIN upload ON upload.id = document.upload
        WHERE document.sequence > ? ORDER BY document.sequence
        """

    /// The refused uploads after one of their numbers.
    static let refusals = """
        SELECT id, time, idempotency_key, content_sha256, retcode, retmsg, items FROM upload
        WHERE is_refusal AND id > ? ORDER BY id
        """

    /// An accepted document. `sequence` is 1 for the first ever accepted, then without gaps; `position` is the place in
    /// its upload, from 1; `following` tells how many lines of an upload of several come after it.
    static func document(_ row: Row) throws -> JSON {
        var members = try Self.answer(row)
        for name in ["business_no", "doctype", "user_no", "image_sha256"] { members[name] = .text(row[name]) }
        members["sequence"] = .integer(row["sequence"])
        members["position"] = .integer(row["position"])
        members["file"] = .text(Self.file(row) ?? "")
        members["out_of_order"] = .truth(row["out_of_order"])
        if row["documents"] as Int > 1 { members["following"] = .integer(row["following"]) }
        return .object(present: members)
    }

    static func refusal(_ row: Row) throws -> JSON { .object(present: try Self.answer(row)) }

    /// The image's file, relative to the backend's folder; `nil` for an erased document.
    static func file(_ row: Row) -> String? {
        let (number, kind) = (row["business_no"] as String, row["doctype"] as String)
        return number.isEmpty ? nil : "documents/\(FolderName.sanitized(number))/\(kind)-\(row["number"] as Int).jpg"
    }

    private static func answer(_ row: Row) throws -> [String: JSON?] {
        var members: [String: JSON?] = ["items": try UploadAnswer(row: row).itemsJSON]
        for name in ["time", "idempotency_key", "content_sha256", "retcode", "retmsg"] {
            members[name] = .text(row[name])
        }
        return members
    }
}

extension UploadAnswer {
    /// The answer that was stored with an upload.
    init(row: Row) throws {
        guard let code = Code(rawValue: row["retcode"]) else {
            throw EmbeddedError(.folderUnusable, "The backend's database holds an unknown RETCODE; restore it.")
        }
        let items = try (row["items"] as String?).map { text in
            try JSONDecoder().decode([UploadAnswer].self, from: Data(text.utf8))
        }
        self.init(code, row["retmsg"], items: items)
    }
}

/// Turns a text from outside into the name of one folder, never a path and never another's name.
enum FolderName {
    /// ASCII letters, digits, `-`, `_` and inner dots stay; every other byte becomes `%` and two hexadecimal digits, so
    /// two texts never share a name. A name that would be too long is cut and ends with `~` and the text's SHA-256.
    static func sanitized(_ text: String) -> String {
        var name = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
            let isPlaced = isPlain || (character == "." && !name.isEmpty)
            name += isPlaced ? String(character) : "%\(Hexadecimal.text(CollectionOfOne(byte)))"
        }
        guard name.count > Limits.folderNameBytes else { return name }
        let digest = Hexadecimal.text(SHA256.hash(data: Array(text.utf8)))
        return name.prefix(Limits.folderNameBytes - digest.count - 1) + "~" + digest
    }
}
