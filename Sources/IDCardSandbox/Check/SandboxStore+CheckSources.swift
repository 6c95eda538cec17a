import Crypto
import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

extension SandboxStore {
    /// How many cards are looked at in one state of the database.
    private static let sourcesAtATime = 8

    /// Opens the source bytes of every card that has some, and compares those of received ones with their fingerprint.
    func checkSources(quick: Bool) async throws -> [SandboxFinding] {
        guard !quick else { return [] }
        var findings: [SandboxFinding] = []
        var last = ""
        while true {
            let from = last
            let (found, next) = try await self.read { db in
                let sql = "SELECT DISTINCT card FROM source_piece WHERE card > ? ORDER BY card LIMIT ?"
                var cards: [String] = []
                let unlisted = try Self.surviving(.sourceDamaged) {
                    cards = try String.fetchAll(db, sql: sql, arguments: [from, Self.sourcesAtATime])
                    return []
                }
                return (unlisted + (try cards.compactMap { try self.checkSource(of: $0, in: db) }), cards.last)
            }
            findings += found
            guard let next else { return findings }
            last = next
        }
    }

    private func checkSource(of card: String, in db: Database) throws -> SandboxFinding? {
        let sql = "SELECT state, reason, content_fingerprint FROM card WHERE id = ? AND state <> 'erased'"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [card]) else { return nil }
        // A person knows already that something of it is damaged.
        if (row["reason"] as String?) == ReasonCode.imageUnreadable.rawValue { return nil }
        let isWhole = try Bool.fetchOne(db, sql: ReceptionSQL.hasFetch, arguments: [card]) != true
        guard try !self.opens(sourceOf: card, as: isWhole ? row["content_fingerprint"] : nil, in: db) else {
            return nil
        }
        return SandboxFinding(
            .sourceDamaged,
            card,
            isRepairable: row["state"] == CardState.received.rawValue,
            "the source bytes do not open or are not those that were received; a repair puts a received card aside, take "
                + "the photo in again"
        )
    }

    /// Whether all source bytes of a card open and, if they are all there, join to those that were received.
    ///
    /// - Throws: `StoreError.wrongKey` if another process has changed the key meanwhile, which says nothing of the bytes.
    func opens(sourceOf card: String, as content: Data?, in db: Database) throws -> Bool {
        do {
            var hash = SHA256()
            let sql = "SELECT start, byte_count, bytes FROM source_piece WHERE card = ? ORDER BY start"
            let rows = try Row.fetchCursor(db, sql: sql, arguments: [card])
            while let row = try rows.next() {
                hash.update(data: try self.bytes(ofPiece: row, of: CardID(rawValue: card), in: db))
            }
            let digest = ContentDigest(hash.finalize())
            return content.map { $0 == self.vault.fingerprint(digest.bytes, purpose: Vault.Purpose.source) } ?? true
        } catch let error as StoreError where error.code == .wrongKey {
            throw error
        } catch {
            // Why else they do not open, the caller need not know.
            return false
        }
    }
}
