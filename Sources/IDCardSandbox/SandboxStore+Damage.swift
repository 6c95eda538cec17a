import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

// What becomes of single cards and deliveries whose data key or values do not open: they are put aside, and all others
// go on.
extension SandboxStore {
    /// The card of a row that was claimed; `nil` if it does not open, and was ended as `failed`.
    func claimedCard(from row: Row, owner: String, now: Timestamp, in db: Database) throws -> Card? {
        do {
            return try self.soundCard(from: row, in: db)
        } catch let error as StoreError where error.concernsOneCard {
            try self.endUnreadable(row, owner: owner, now: now, in: db)
            return nil
        }
    }

    /// Ends a claimed card as `failed` because what is needed of it does not open.
    func endUnreadable(_ row: Row, owner: String, now: Timestamp, in db: Database) throws {
        let state: CardState = try Self.word(row[card: .state], in: "card.state")
        let card = CardID(rawValue: row[card: .id])
        var transition = CardTransition(card: card, from: state, to: .failed, leasedBy: owner, now: now)
        (transition.reason, transition.message) = (.imageUnreadable, StoreError.imageAdvice)
        transition.attempts = row[card: .attempts]
        try self.perform(transition, in: db)
    }

    /// The delivery of a row that was claimed for sending; `nil` if it does not open, and is kept for a person.
    func claimedDelivery(from row: Row, owner: String, now: Timestamp, in db: Database) throws -> Delivery? {
        do {
            return try self.delivery(from: row, in: db)
        } catch let error as StoreError where error.concernsOneCard {
            let id = DeliveryID(rawValue: row["id"])
            let mayBeThere =
                try Bool.fetchOne(db, sql: DeliverySQL.mayHaveBeenReceived, arguments: [id.rawValue]) ?? false
            try self.close(id, as: .held, owner: owner, now: now, in: db)
            try self.moveMembers(
                of: id,
                to: .held,
                reason: mayBeThere ? .outcomeUnknown : .imageUnreadable,
                message: Self.unreadableDeliveryMessage,
                now: now,
                in: db
            )
            return nil
        }
    }

    /// Whether everything sealed in the row of a card opens.
    func isSound(_ card: CardID, in db: Database) throws -> Bool {
        let row = try Row.fetchOne(
            db,
            sql: "SELECT \(CardColumn.list) FROM card WHERE id = ?",
            arguments: [card.rawValue]
        )
        return try row.map { row in
            try self.unlessDamaged { try self.soundCard(from: row, in: db) } != nil
        } ?? true
    }

    /// Puts the verified cards of a business number aside that do not open: under which account they go, nobody knows.
    func putAsideUnreadable(of businessNumber: BusinessNumber, now: Timestamp) async throws {
        try await self.writer.write { db in
            let sql = "SELECT \(CardColumn.list) FROM card WHERE business_no = ? AND state = 'verified'"
            for row in try Row.fetchAll(db, sql: sql, arguments: [businessNumber.rawValue]) {
                do {
                    _ = try self.soundCard(from: row, in: db)
                } catch let error as StoreError where error.concernsOneCard {
                    let card = CardID(rawValue: row[card: .id])
                    var transition = CardTransition(card: card, from: .verified, to: .held, now: now)
                    (transition.reason, transition.message) = (.imageUnreadable, StoreError.imageAdvice)
                    transition.attempts = row[card: .attempts]
                    try self.perform(transition, in: db)
                }
            }
        }
    }

    private static let unreadableDeliveryMessage =
        "what was to be sent is damaged; check the disk and restore a backup, or look at the backend and resolve it"

    /// Returns what a function reads, or `nil` if it is damaged data of one card.
    func unlessDamaged<Value>(_ read: () throws -> Value?) throws -> Value? {
        do {
            return try read()
        } catch let error as StoreError where error.concernsOneCard {
            return nil
        }
    }
}
