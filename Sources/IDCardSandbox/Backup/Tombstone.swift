import Foundation
import GRDB
import IDCardCore

/// What must outlive everything else of an erased card: that it was erased, and which files must not bring it back.
struct Tombstone: Sendable {
    /// A file that held the card, as fingerprint and attributes.
    struct File: Sendable {
        var pathFingerprint: Data
        var device: Int64
        var inode: Int64
        var size: Int64
        var modifiedNanoseconds: Int64
    }

    /// The card's own row, where the sandbox that is replaced has it.
    struct CardRow: Sendable {
        var businessNumber: String
        var contentFingerprint: Data
        var intakeOrder: Int64
        var createdAt: Int64
    }

    var card: CardID
    /// When it was erased, in milliseconds since the epoch.
    var erasedAt: Int64
    /// Why, as a code.
    var reason: String?
    var row: CardRow?
    var files: [File] = []

    /// Reads all tombstones of a sandbox.
    static func all(in db: Database) throws -> [Tombstone] {
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM card WHERE state = 'erased' ORDER BY intake_order, id")
        return try rows.map { row in
            let files = try Row.fetchAll(db, sql: "SELECT * FROM source_file WHERE card = ?", arguments: [row["id"]])
            return Tombstone(
                card: CardID(rawValue: row["id"]),
                erasedAt: row["changed_at"],
                reason: row["reason"],
                row: CardRow(
                    businessNumber: row["business_no"],
                    contentFingerprint: row["content_fingerprint"],
                    intakeOrder: row["intake_order"],
                    createdAt: row["created_at"]
                ),
                files: files.map { file in
                    File(
                        pathFingerprint: file["path_fingerprint"],
                        device: file["device"],
                        inode: file["inode"],
                        size: file["size"],
                        modifiedNanoseconds: file["modified_ns"]
                    )
                }
            )
        }
    }
}
