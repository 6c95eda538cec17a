extension SandboxRule {
    /// The tables whose rows belong to a card, with what a row without one is.
    static let owned: [(table: String, code: SandboxFinding.Code)] = [
        ("image", .orphanImage), ("reading", .orphanReading), ("source_file", .orphanSource),
        ("source_piece", .orphanPiece), ("fetch", .orphanFetch), ("receipt", .orphanReceipt),
    ]

    /// Whether a data key belongs to nothing that is there.
    static let isOrphanKey = """
        NOT EXISTS (SELECT 1 FROM card WHERE card.id = data_key.owner)
        AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.id = data_key.owner)
        """

    /// The rules of what must belong to something.
    static let orphans: [SandboxRule] =
        owned.map { table, code in
            SandboxRule(
                code,
                isRepairable: true,
                "a row of `\(table)` belongs to a card that is not there; a repair removes it",
                sql: """
                    SELECT card FROM \(table) WHERE NOT EXISTS (SELECT 1 FROM card WHERE card.id = \(table).card)
                    """
            )
        } + [
            SandboxRule(
                .orphanKey,
                isRepairable: true,
                "a data key belongs to nothing that is there; a repair removes it",
                sql: "SELECT owner FROM data_key WHERE \(isOrphanKey)"
            ),
            SandboxRule(
                .keyMissing,
                "the data key of the card is not there, so that its data is lost; restore a backup",
                sql: """
                    SELECT id FROM card WHERE state <> 'erased' AND (SELECT vault FROM sandbox) <> 'none'
                        AND NOT EXISTS (SELECT 1 FROM data_key WHERE data_key.owner = card.id)
                        AND (
                            user_number IS NOT NULL OR expected_id_number IS NOT NULL OR expected_name IS NOT NULL
                            OR message IS NOT NULL OR EXISTS (SELECT 1 FROM image WHERE image.card = card.id)
                            OR EXISTS (SELECT 1 FROM reading WHERE reading.card = card.id)
                            OR EXISTS (SELECT 1 FROM source_piece WHERE source_piece.card = card.id)
                            OR EXISTS (SELECT 1 FROM fetch WHERE fetch.card = card.id)
                        )
                    """
            ),
            SandboxRule(
                .keyMissing,
                "the data key of a delivery that may be sent is not there; ask the backend what it has",
                sql: """
                    SELECT id FROM delivery WHERE state IN ('open', 'held') AND (SELECT vault FROM sandbox) <> 'none'
                        AND NOT EXISTS (SELECT 1 FROM data_key WHERE data_key.owner = delivery.id)
                    """
            ),
        ]

    /// Whether a card may not be leased as it is.
    static let cannotBeLeased = """
        lease_owner IS NOT NULL AND (
            state NOT IN ('fetching', 'received', 'prepared')
            OR NOT EXISTS (SELECT 1 FROM owner WHERE owner.id = lease_owner)
        )
        """

    /// Whether a delivery may not be leased as it is.
    static let deliveryCannotBeLeased = """
        lease_owner IS NOT NULL AND (
            state <> 'open' OR NOT EXISTS (SELECT 1 FROM owner WHERE owner.id = lease_owner)
        )
        """

    /// The rules of leases.
    static let leases: [SandboxRule] = [
        SandboxRule(
            .leaseMisplaced,
            isRepairable: true,
            "a lease stands where nobody works, or its owner is not known; a repair takes it back",
            sql: """
                SELECT id FROM card WHERE \(cannotBeLeased)
                UNION ALL SELECT id FROM delivery WHERE \(deliveryCannotBeLeased)
                """
        )
    ]
}
