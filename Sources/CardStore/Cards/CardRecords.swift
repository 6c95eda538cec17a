import CardModel

extension CardRecords {
    /// Whether any delivery of the card, past ones included, has an attempt that may have been applied.
    func mayBeAtBackend(_ card: CardID, in tx: Transaction) throws -> Bool {
        try tx.exists(
            """
            SELECT 1 FROM delivery_card JOIN delivery ON delivery.id = delivery_card.delivery
            WHERE delivery_card.card = \(card) AND delivery_card.outcome_unknown = 1 AND delivery.may_be_applied = 1
            """
        )
    }

    func hasImage(_ card: CardID, in tx: Transaction) throws -> Bool {
        try tx.exists("SELECT 1 FROM blob WHERE card = \(card) AND kind = \(BlobKind.image)")
    }

    func hasReading(_ card: CardID, in tx: Transaction) throws -> Bool {
        try tx.exists("SELECT 1 FROM reading WHERE card = \(card)")
    }

    /// Whether there is a newer photo of the same number and side that was delivered or is in one of `states`; by default the
    /// states from which a photo may still be delivered.
    func isReplaced(
        _ row: CardRow,
        by states: [CardState] = [.fetching, .received, .prepared, .verified, .delivering, .held],
        in tx: Transaction
    ) throws -> Bool {
        guard let side = row.anySide else { return false }
        let others = try tx.rows(
            """
            SELECT intake_order, taken FROM card WHERE number = \(row.number) AND id <> \(row.id) AND beside IS NULL
            AND coalesce(side, expected_side, \(side)) = \(side)
            AND state IN \(list: states)
            AND NOT (state = \(literal: .held) AND reason IN (\(ReasonCode.submitterConflict), \(ReasonCode.caseRejected)))
            """
        ) { PhotoAge(order: try $0.next(), taken: try $0.next()) }
        let delivered = try self.delivered(side, of: row.number, in: tx)
        return row.age != delivered && PhotoAge.newest(others + [row.age], after: delivered, by: \.self) != row.age
    }

    /// The name of a card's input as its submitter gave it.
    func inputName(of row: CardRow, key: CardKey?) -> Redacted<String>? {
        guard let key, let sealed = row.sealedMetadata else { return nil }
        return try? key.open(json: sealed, as: SealedMetadata.self, column: .cardMetadata).inputName
    }
}
