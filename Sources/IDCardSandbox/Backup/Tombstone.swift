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
        var contentFingerprint: Data?
    }

    /// A request that led to the card, as fingerprints.
    struct Receipt: Sendable {
        var nameFingerprint: Data
        var requestFingerprint: Data
        var createdAt: Int64
    }

    /// The card's own row, where the sandbox that is replaced has it.
    struct CardRow: Sendable {
        var businessNumber: String
        var contentFingerprint: Data
        var intakeOrder: Int64
        var createdAt: Int64
    }

    /// The certificate of the erasure, and what of it is done.
    struct Certificate: Sendable {
        var text: String
        var isScrubbed: Bool
        var isCertified: Bool
    }

    var card: CardID
    /// When it was erased; `nil` if that is not known any more.
    var erasedAt: Timestamp?
    /// Why, as a code.
    var reason: String?
    var row: CardRow?
    var certificate: Certificate?
    var files: [File] = []
    var receipts: [Receipt] = []

    /// Reads all tombstones of a sandbox.
    static func all(in db: Database) throws -> [Tombstone] {
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM card WHERE state = 'erased' ORDER BY intake_order, id")
        // A sandbox of an older program has none.
        let hasReceipts = try db.tableExists("receipt")
        return try rows.map { row in
            let certificate = try Row.fetchOne(db, sql: "SELECT * FROM erasure WHERE card = ?", arguments: [row["id"]])
            let files = try Row.fetchAll(db, sql: "SELECT * FROM source_file WHERE card = ?", arguments: [row["id"]])
            let receipts = hasReceipts ? try self.receipts(of: row["id"], in: db) : []
            return Tombstone(
                card: CardID(rawValue: row["id"]),
                erasedAt: Timestamp(millisecondsSinceEpoch: row["changed_at"]),
                reason: row["reason"],
                row: CardRow(
                    businessNumber: row["business_no"],
                    contentFingerprint: row["content_fingerprint"],
                    intakeOrder: row["intake_order"],
                    createdAt: row["created_at"]
                ),
                certificate: certificate.map { certificate in
                    Certificate(
                        text: certificate["certificate"],
                        isScrubbed: certificate["is_scrubbed"],
                        isCertified: certificate["is_certified"]
                    )
                },
                files: files.map { file in
                    File(
                        pathFingerprint: file["path_fingerprint"],
                        device: file["device"],
                        inode: file["inode"],
                        size: file["size"],
                        modifiedNanoseconds: file["modified_ns"],
                        contentFingerprint: file["content_fingerprint"]
                    )
                },
                receipts: receipts
            )
        }
    }

    private static func receipts(of card: String, in db: Database) throws -> [Receipt] {
        try Row.fetchAll(db, sql: "SELECT * FROM receipt WHERE card = ?", arguments: [card]).map { row in
            Receipt(
                nameFingerprint: row["name_fingerprint"],
                requestFingerprint: row["request_fingerprint"],
                createdAt: row["created_at"]
            )
        }
    }
}
