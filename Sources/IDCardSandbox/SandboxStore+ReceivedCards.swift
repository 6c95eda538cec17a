package import Foundation
import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func claimReceived(limit: Int, until expiry: Timestamp, now: Timestamp) async throws -> [Card] {
        try await self.claim(by: [ClaimSQL.claim(.received)], limit: limit, until: expiry, now: now)
    }

    /// Leases due cards of a state by the first of some statements that finds any; what does not open is ended.
    func claim(
        by statements: [String],
        limit: Int,
        until expiry: Timestamp,
        now: Timestamp
    ) async throws -> [Card] {
        guard limit > 0 else { return [] }
        let owner = try self.owner
        let arguments: StatementArguments = [
            owner, expiry.millisecondsSinceEpoch, now.millisecondsSinceEpoch, limit,
        ]
        return try await self.writer.write { db in
            try Self.firstRows(of: statements, arguments: arguments, in: db)
                .compactMap { try self.claimedCard(from: $0, owner: owner, now: now, in: db) }
                .map { card in
                    self.recent.expect(card.id, isShrunk: card.isShrunk)
                    return card
                }
                // `RETURNING` promises no order.
                .sorted { ($1.metadata.priority, $0.intakeOrder) < ($0.metadata.priority, $1.intakeOrder) }
        }
    }

    /// The rows of the first statement that returns any.
    static func firstRows(of statements: [String], arguments: StatementArguments, in db: Database) throws -> [Row] {
        for sql in statements {
            let rows = try Row.fetchAll(db, cached: sql, arguments: arguments)
            if !rows.isEmpty { return rows }
        }
        return []
    }

    package func source(of card: CardID, at offset: Int) async throws -> Data {
        precondition(offset >= 0, "an offset must not be negative, got \(offset)")
        return try await self.read { db in
            let row = try Row.fetchOne(db, cached: ReceptionSQL.pieceAt, arguments: [card.rawValue, offset])
            if let row {
                let (start, count): (Int, Int) = (row["start"], row["byte_count"])
                if offset < start + count {
                    return try self.bytes(ofPiece: row, of: card, in: db).dropFirst(offset - start)
                }
            }
            let state = try String.fetchOne(
                db,
                cached: "SELECT state FROM card WHERE id = ?",
                arguments: [card.rawValue]
            )
            guard state == CardState.received.rawValue else { return Data() }
            // What is received is whole: it ends behind its last piece, and has one.
            let end = try self.pieces(of: card, in: db).last?.upperBound
            guard end == offset else { throw Self.corrupt("source_piece of card \(card)") }
            return Data()
        }
    }

    package func concludePreparing(
        _ claimed: Card,
        as conclusion: PreparationConclusion,
        now: Timestamp
    ) async throws -> Card {
        let (owner, card) = (try self.owner, claimed.id)
        let concluded = try await self.writer.write(byteCount: conclusion.byteCount) { db in
            let before = try self.requireStanding(claimed, in: db)
            var transition = CardTransition(card: card, from: .received, to: .prepared, leasedBy: owner, now: now)
            switch conclusion {
            case .prepared(let image):
                try self.perform(transition, in: db)
                // First, so that the image takes the room that becomes free.
                try self.dropSource(of: card, in: db)
                try self.store(image, of: card, in: db)
            case .rejected(let reason, let message):
                (transition.to, transition.reason, transition.message) = (.rejected, reason, message)
                try self.perform(transition, in: db)
                try self.dropSource(of: card, in: db)
            case .retry(let time):
                try self.postpone(card, in: .received, until: time, attempts: 1, owner: owner, in: db)
            case .failed(let reason, let message):
                (transition.to, transition.reason, transition.message) = (.failed, reason, message)
                transition.attempts = before.attempts + 1
                try self.perform(transition, in: db)
            }
            return try self.requireCard(card, in: db)
        }
        if case .prepared(let image) = conclusion { self.recent.keep(image, of: card, isShrunk: false) }
        return concluded
    }

    package func nextDue(in state: CardState) async throws -> Timestamp? {
        try await self.read { db in
            try Int64.fetchOne(db, cached: ClaimSQL.nextDue(state)).map(Timestamp.init(millisecondsSinceEpoch:))
        }
    }
}

// MARK: - Steps within one transaction

extension SandboxStore {
    /// Returns a card that stands as it was claimed: the lease alone does not tell, the same owner may have claimed it anew.
    ///
    /// - Throws: `StoreError.conflict` if it does not.
    func requireStanding(_ claimed: Card, in db: Database) throws -> Card {
        let card = try self.requireCard(claimed.id, in: db)
        guard card.stands(as: claimed) else {
            throw StoreError(.conflict, "card \(card.id) was claimed anew or changed since; nothing was changed")
        }
        return card
    }

    /// Puts a leased card off, in the state in which it is, and gives the lease back.
    ///
    /// - Throws: `StoreError.conflict` if the card is not as expected.
    func postpone(
        _ card: CardID,
        in state: CardState,
        until time: Timestamp?,
        attempts: Int,
        owner: String,
        in db: Database
    ) throws {
        try db.execute(
            cached: """
                UPDATE card SET attempts = attempts + ?, due_at = ?, lease_owner = NULL, lease_expires_at = NULL
                WHERE id = ? AND state = ? AND lease_owner = ?
                """,
            arguments: [
                attempts, time?.millisecondsSinceEpoch ?? 0, card.rawValue, state.rawValue, owner,
            ]
        )
        guard db.changesCount == 1 else {
            throw StoreError(.conflict, "card \(card) is not \(state) and leased here any more; nothing was changed")
        }
    }
}

extension PreparationConclusion {
    /// The size of the image that it brings, if any.
    fileprivate var byteCount: Int {
        if case .prepared(let image) = self { image.jpeg.count } else { 0 }
    }
}
