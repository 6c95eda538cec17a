import IDCardCore

extension SandboxRule {
    /// The rules between deliveries and their members.
    static let deliveries: [SandboxRule] = [
        SandboxRule(
            .deliveringAstray,
            "the card is in delivery, but not a member of exactly one open delivery; ask the backend whether it has it",
            sql: """
                SELECT id FROM card WHERE state = 'delivering' AND (
                    (
                        SELECT count(*) FROM delivery_card JOIN delivery ON delivery.id = delivery_card.delivery
                        WHERE delivery_card.card = card.id AND delivery.state = 'open'
                    ) <> 1
                    OR NOT EXISTS (
                        SELECT 1 FROM delivery JOIN delivery_card ON delivery_card.delivery = delivery.id
                        WHERE delivery.id = card.delivery AND delivery.state = 'open' AND delivery_card.card = card.id
                    )
                )
                """
        ),
        SandboxRule(
            .memberState,
            "the state of a member does not go with that of the delivery; ask the backend what it has",
            // Sent again as it is, a delivery may have members that ended before.
            sql: """
                SELECT DISTINCT delivery.id FROM delivery JOIN delivery_card ON delivery_card.delivery = delivery.id
                    JOIN card ON card.id = delivery_card.card
                WHERE card.delivery = delivery.id AND CASE delivery.state
                    WHEN 'open' THEN card.state NOT IN ('delivering', 'delivered', 'rejected')
                    WHEN 'dissolved' THEN card.state <> 'erased'
                    WHEN 'rejected' THEN card.state IN ('delivering', 'delivered', 'prepared', 'verified')
                    ELSE card.state IN ('delivering', 'prepared', 'verified')
                END
                """
        ),
        SandboxRule(
            .memberState,
            "the delivery is open, but no card is in delivery with it; ask the backend what it has",
            sql: """
                SELECT id FROM delivery WHERE state = 'open' AND NOT EXISTS (
                    SELECT 1 FROM delivery_card JOIN card ON card.id = delivery_card.card
                    WHERE delivery_card.delivery = delivery.id AND card.delivery = delivery.id
                        AND card.state = 'delivering'
                )
                """
        ),
        SandboxRule(
            .memberOrder,
            "the delivery has no members; please report this",
            sql: """
                SELECT id FROM delivery
                WHERE NOT EXISTS (SELECT 1 FROM delivery_card WHERE delivery_card.delivery = delivery.id)
                """
        ),
        SandboxRule(
            .memberOrder,
            "the order of the members has gaps; restore a backup",
            sql: """
                SELECT delivery FROM delivery_card GROUP BY delivery
                HAVING min(position) <> 0 OR max(position) <> count(*) - 1
                """
        ),
        SandboxRule(
            .unknownAstray,
            "nobody knows whether the backend has the card, and what was sent is not there any more; ask the backend",
            sql: """
                SELECT id FROM card WHERE state = 'held' AND reason = '\(ReasonCode.outcomeUnknown.rawValue)'
                    AND NOT EXISTS (
                        SELECT 1 FROM delivery JOIN delivery_card ON delivery_card.delivery = delivery.id
                        WHERE delivery.id = card.delivery AND delivery.state = 'held' AND delivery_card.card = card.id
                    )
                    -- Unless its delivery was taken apart because another member was erased.
                    AND NOT EXISTS (
                        SELECT 1 FROM delivery_card AS own
                            JOIN delivery ON delivery.id = own.delivery AND delivery.state = 'dissolved'
                            JOIN delivery_card AS gone ON gone.delivery = own.delivery
                            JOIN card AS other ON other.id = gone.card AND other.state = 'erased'
                        WHERE own.card = card.id
                    )
                """
        ),
        SandboxRule(
            .partsMissing,
            "the delivery may be sent, but what it sends is not there; ask the backend what it has",
            sql: "SELECT id FROM delivery WHERE state IN ('open', 'held') AND length(parts) = 0"
        ),
        SandboxRule(
            .partsLeft,
            isRepairable: true,
            "the delivery is over, but what it sent is still there; a repair removes it",
            sql: """
                SELECT id FROM delivery WHERE state NOT IN ('open', 'held') AND (
                    length(parts) > 0 OR EXISTS (SELECT 1 FROM data_key WHERE data_key.owner = delivery.id)
                )
                """
        ),
        SandboxRule(
            .valueImpossible,
            "the boundary of a delivery that may be sent is empty; restore a backup",
            sql: "SELECT id FROM delivery WHERE state IN ('open', 'held') AND boundary = ''"
        ),
    ]

    /// The rules of attempts.
    static let attempts: [SandboxRule] = [
        SandboxRule(
            .attemptOpen,
            "an attempt has no end, though nothing is being sent; ask the backend what it has",
            sql: """
                SELECT COALESCE(attempt.card, attempt.delivery)
                FROM attempt LEFT JOIN delivery ON delivery.id = attempt.delivery
                WHERE attempt.ended_at IS NULL AND delivery.state IS NOT 'open'
                """
        ),
        SandboxRule(
            .attemptOpen,
            "more than one attempt has no end; ask the backend what it has",
            sql: """
                SELECT delivery FROM attempt WHERE ended_at IS NULL AND delivery IS NOT NULL
                GROUP BY delivery HAVING count(*) > 1
                """
        ),
        SandboxRule(
            .attemptGap,
            "the attempts are not numbered from 1 without gaps; restore a backup",
            sql: """
                SELECT COALESCE(card, delivery) AS owner FROM attempt
                GROUP BY owner HAVING min(ordinal) <> 1 OR max(ordinal) <> count(*)
                """
        ),
        SandboxRule(
            .attemptGap,
            "more attempts were counted than there are; restore a backup",
            sql: """
                SELECT id FROM delivery
                WHERE attempts > (SELECT count(*) FROM attempt WHERE attempt.delivery = delivery.id)
                """
        ),
    ]
}
