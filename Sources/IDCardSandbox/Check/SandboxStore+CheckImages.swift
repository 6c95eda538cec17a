import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

extension SandboxStore {
    /// The largest edge that a JPEG can have (ITU-T T.81, 16 bits).
    private static let largestEdge = 65_535
    /// How many images are opened in one state of the database.
    private static let imagesAtATime = 16

    /// Opens every image and compares it with its digest; with `quick` only what stands beside it is looked at.
    func checkImages(quick: Bool) async throws -> [SandboxFinding] {
        var findings: [SandboxFinding] = []
        var last = ""
        while true {
            let from = last
            let (found, next) = try await self.read { db in
                let sql = "SELECT card FROM image WHERE card > ? ORDER BY card LIMIT ?"
                var cards: [String] = []
                let unlisted = try Self.surviving(.imageDamaged) {
                    cards = try String.fetchAll(db, sql: sql, arguments: [from, Self.imagesAtATime])
                    return []
                }
                return (
                    unlisted + (try cards.flatMap { try self.checkImage(of: $0, quick: quick, in: db) }), cards.last
                )
            }
            findings += found
            guard let next else { return findings }
            last = next
        }
    }

    private func checkImage(of card: String, quick: Bool, in db: Database) throws -> [SandboxFinding] {
        do {
            let sql = """
                SELECT state, reason, lease_owner, width, height, byte_count, length(jpeg) AS stored FROM image
                    JOIN card ON card.id = image.card
                WHERE card.id = ? AND card.state <> 'erased'
                """
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [card]) else { return [] }
            guard !Self.isKnownUnreadable(row) else { return [] }
            let size = Self.checkSize(row, of: card)
            return try quick || self.opens(imageOf: card, in: db) ? size : size + [Self.damaged(card, row)]
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return [SandboxFinding(.imageDamaged, card, "the image lies on a damaged page; restore a backup")]
        }
    }

    private static func checkSize(_ row: Row, of card: String) -> [SandboxFinding] {
        let (width, height): (Int, Int) = (row["width"], row["height"])
        let (count, stored): (Int, Int) = (row["byte_count"], row["stored"])
        let edges = 1...Self.largestEdge
        // Sealing adds some bytes and takes none away.
        guard edges.contains(width), edges.contains(height), count > 0, stored >= count else {
            return [
                SandboxFinding(
                    .imageSize,
                    card,
                    "the size noted beside the image (\(width)×\(height), \(count) bytes) cannot be; restore a backup"
                )
            ]
        }
        return []
    }

    private static func damaged(_ card: String, _ row: Row) -> SandboxFinding {
        let isRepairable = ["prepared", "verified"].contains(row["state"] as String)
        let remedy =
            isRepairable
            ? "a repair puts the card aside, take the photo in again"
            : "take the photo in again as a new file, or restore a backup"
        return SandboxFinding(
            .imageDamaged,
            card,
            isRepairable: isRepairable,
            "the image does not open or is not what its digest says; \(remedy)"
        )
    }

    /// Whether a person knows already that the image is damaged.
    private static func isKnownUnreadable(_ row: Row) -> Bool {
        ["held", "failed"].contains(row["state"] as String) && row["reason"] == ReasonCode.imageUnreadable.rawValue
    }

    /// Whether the image of a card opens and is the one that was stored.
    ///
    /// - Throws: `StoreError.wrongKey` if another process has changed the key meanwhile, which says nothing of the image.
    func opens(imageOf card: String, in db: Database) throws -> Bool {
        do {
            let sql = "SELECT byte_count, digest, jpeg FROM image WHERE card = ?"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [card]) else { return false }
            let jpeg = try self.vault.open(row["jpeg"], card: card, column: "image.jpeg", in: db)
            let digest = try self.vault.open(row["digest"], card: card, column: "image.digest", in: db)
            return ContentDigest(of: jpeg).bytes == digest && jpeg.count == row["byte_count"]
        } catch let error as StoreError where error.code == .wrongKey {
            throw error
        } catch {
            // Why else it does not open, the caller need not know.
            return false
        }
    }
}
