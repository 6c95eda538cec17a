import GRDB
import IDCardCore
import IDCardPipeline

extension SandboxStore {
    /// Takes over, within one transaction, what a newer sending of the same bytes says, and returns the card.
    ///
    /// The one way by which metadata changes, whether the bytes, the file or the card is known.
    func takeOver(_ metadata: CardMetadata, into known: Card, now: Timestamp, in db: Database) throws -> Card {
        let canBeJudgedAgain = try Bool.fetchOne(
            db,
            cached: IntakeSQL.canBeJudgedAgain,
            arguments: [known.id.rawValue]
        )
        let updated = known.takingOver(
            metadata,
            canBeJudgedAgain: canBeJudgedAgain ?? false,
            mayBeAtBackend: try self.mayBeAtBackend(known.id, in: db),
            isReplaced: try known.mayComeBack && self.isReplaced(known, in: db),
            now: now
        )
        guard updated != known else { return known }
        // One whose data does not open stays as it is, for a person: nothing new can be sealed for it.
        guard try self.isSound(known.id, in: db) else { return known }
        try self.write(updated.metadata, of: known.id, in: db)
        if updated.state == known.state {
            try self.append(CardEvent(at: now, kind: Self.metadataEvent), to: known.id, in: db)
        } else {
            try self.perform(
                CardTransition(
                    card: known.id,
                    from: known.state,
                    to: updated.state,
                    kind: Self.metadataEvent,
                    now: now
                ),
                in: db
            )
            try db.execute(cached: IntakeSQL.forgetVerdict, arguments: [known.id.rawValue])
        }
        return try self.requireCard(known.id, in: db)
    }

    /// Whether a newer photo of a card's side was delivered, or may still be.
    func isReplaced(_ card: Card, in db: Database) throws -> Bool {
        guard let side = card.side ?? card.metadata.side else { return true }
        return try Int.fetchOne(
            db,
            cached: IntakeSQL.isReplaced,
            arguments: [
                "number": card.metadata.businessNumber.rawValue, "order": card.intakeOrder, "side": side.rawValue,
            ]
        ) != nil
    }

    /// Keeps older photos superseded for good when the newer one is erased that was, or may have been, delivered.
    ///
    /// - Parameter row: the row of the newer one before it was erased.
    func keepReplaced(by card: CardID, _ row: Row, in db: Database) throws {
        let isDelivered = row["state"] == CardState.delivered.rawValue
        guard let side = row["side"] as String?, try isDelivered || self.mayBeAtBackend(card, in: db) else { return }
        try db.execute(
            cached: IntakeSQL.keepReplaced,
            arguments: ["number": row["business_no"] as String, "order": row["intake_order"] as Int64, "side": side]
        )
    }

    private static let metadataEvent = "metadata"

    private func write(_ metadata: CardMetadata, of card: CardID, in db: Database) throws {
        try db.execute(
            cached: """
                UPDATE card SET priority = ?, user_number = ?, expected_id_number = ?, expected_name = ?,
                    expected_side = ?
                WHERE id = ?
                """,
            arguments: [
                metadata.priority,
                try self.vault.seal(metadata.userNumber, card: card, column: "card.user_number", in: db),
                try self.vault.seal(metadata.expectedIDNumber, card: card, column: "card.expected_id_number", in: db),
                try self.vault.seal(metadata.expectedName, card: card, column: "card.expected_name", in: db),
                metadata.side?.rawValue, card.rawValue,
            ]
        )
    }
}
