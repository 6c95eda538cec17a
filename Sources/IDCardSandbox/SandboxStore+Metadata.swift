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
