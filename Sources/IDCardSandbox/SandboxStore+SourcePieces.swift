import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

// The source bytes of cards without an image, piece by piece, within one transaction.
extension SandboxStore {
    /// Stores all source bytes of a new card.
    func store(_ source: any SpooledSource, of card: CardID, in db: Database) throws {
        var offset = 0
        while offset < source.byteCount {
            let bytes = try source.read(at: offset)
            guard !bytes.isEmpty else {
                throw StoreError(.unavailable, "what was received cannot be read back; send it again")
            }
            try self.store(bytes, at: offset, of: card, in: db)
            offset += bytes.count
        }
    }

    /// Stores a piece in place of all that it covers, even in part.
    func store(_ bytes: Data, at offset: Int, of card: CardID, in db: Database) throws {
        try db.execute(
            cached: ReceptionSQL.dropCovered,
            arguments: ["card": card.rawValue, "start": offset, "end": offset + bytes.count]
        )
        try db.execute(
            cached: ReceptionSQL.keepPiece,
            arguments: [
                card.rawValue, offset, bytes.count,
                try self.vault.seal(bytes, card: card.rawValue, column: Self.place(ofPieceAt: offset), in: db),
            ]
        )
    }

    /// Opens a row of `source_piece`.
    func bytes(ofPiece row: Row, of card: CardID, in db: Database) throws -> Data {
        let start: Int = row["start"]
        let bytes = try self.vault.open(
            row["bytes"],
            card: card.rawValue,
            column: Self.place(ofPieceAt: start),
            in: db
        )
        guard bytes.count == row["byte_count"] else { throw Self.corrupt("source_piece.byte_count") }
        return bytes
    }

    /// The offset is part of the place for which a piece is sealed: pieces cannot change places.
    private static func place(ofPieceAt offset: Int) -> String { "source_piece.bytes \(offset)" }

    /// The pieces that are there, in order.
    func pieces(of card: CardID, in db: Database) throws -> [Range<Int>] {
        try Row.fetchAll(db, cached: ReceptionSQL.pieces, arguments: [card.rawValue]).map { row in
            let (start, count): (Int, Int) = (row["start"], row["byte_count"])
            return start..<(start + count)
        }
    }

    /// Removes the source bytes of a card, and the address of which they would come.
    func dropSource(of card: CardID, in db: Database) throws {
        try db.execute(cached: ReceptionSQL.dropPieces, arguments: [card.rawValue])
        try db.execute(cached: ReceptionSQL.dropFetch, arguments: [card.rawValue])
    }

    /// Whether something is there of which an image could still be made.
    func hasSource(_ card: CardID, in db: Database) throws -> Bool {
        try Bool.fetchOne(db, cached: ReceptionSQL.hasSource, arguments: [card.rawValue, card.rawValue]) ?? false
    }

    /// The state in which a card without an image is tried again: from the bytes that are all there, or by fetching them.
    func stateOfSource(of card: CardID, in db: Database) throws -> CardState {
        try Bool.fetchOne(db, cached: ReceptionSQL.hasFetch, arguments: [card.rawValue]) == true ? .fetching : .received
    }
}
