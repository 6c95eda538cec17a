import IDCardPipeline

/// The questions of delivery; apart, so that a test can ask SQLite how it answers them.
enum DeliverySQL {
    /// The statements of a claim; the first that finds something counts.
    static func claims(in order: ClaimOrder) -> [String] {
        switch order {
        case .usual: [self.claim]
        case .untriedFirst: [self.claimUntried, self.claimTried]
        case .untriedOnly: [self.claimUntried]
        }
    }

    static let claim = Self.claim(where: "")

    /// Claims what has no member that failed.
    static let claimUntried = Self.claim(
        where: """
            AND NOT EXISTS (
                SELECT 1 FROM delivery_card JOIN call_failure ON call_failure.card = delivery_card.card
                WHERE delivery_card.delivery = delivery.id AND call_failure.stage = '\(Stage.deliver.rawValue)'
            )
            """
    )

    /// Claims what has a member that failed, longest ago first: these are few.
    static let claimTried = """
        UPDATE delivery SET lease_owner = ?, lease_expires_at = ?
        WHERE number IN (
            SELECT delivery.number FROM call_failure
                JOIN card ON card.id = call_failure.card AND card.state = 'delivering'
                JOIN delivery ON delivery.id = card.delivery
            WHERE call_failure.stage = '\(Stage.deliver.rawValue)' AND delivery.state = 'open'
                AND delivery.lease_owner IS NULL AND delivery.due_at <= ?
            GROUP BY delivery.number ORDER BY max(call_failure.number) LIMIT ?
        )
        RETURNING \(Self.claimed)
        """

    /// Walks the order of the claim and stops at the limit.
    private static func claim(where filter: String) -> String {
        """
        UPDATE delivery SET lease_owner = ?, lease_expires_at = ?
        WHERE number IN (
            SELECT number FROM delivery INDEXED BY delivery_claim
            WHERE state = 'open' AND lease_owner IS NULL AND due_at <= ? \(filter)
            ORDER BY priority DESC, number LIMIT ?
        )
        RETURNING \(Self.claimed)
        """
    }

    private static let claimed = "number, priority, id, boundary, parts, attempts"

    static let nextDue = """
        SELECT CASE due_at WHEN 0 THEN changed_at ELSE due_at END FROM delivery
        WHERE state = 'open' AND lease_owner IS NULL ORDER BY due_at LIMIT 1
        """

    static let members = "SELECT card FROM delivery_card WHERE delivery = ? ORDER BY position"

    static let membership = """
        SELECT card.id, card.business_no, card.is_shrunk FROM delivery_card JOIN card ON card.id = delivery_card.card
        WHERE delivery_card.delivery = ? ORDER BY delivery_card.position
        """

    static let actingMembers = """
        SELECT card.id FROM delivery_card JOIN card ON card.id = delivery_card.card
        WHERE delivery_card.delivery = ? AND card.state = 'delivering' AND card.delivery = delivery_card.delivery
        ORDER BY delivery_card.position
        """

    /// The code of the row in `attempt` that says that a person had it sent again.
    static let resendOrdered = "resend_ordered"

    /// Whether it may have been received, whether that awaits a decision, and the last attempt.
    static let attempts = """
        SELECT COALESCE(MAX(ended_at IS NULL OR class = 'unknown'), 0),
            COALESCE(MAX((ended_at IS NULL OR class = 'unknown') AND ordinal > COALESCE(
                (SELECT MAX(ordinal) FROM attempt WHERE delivery = :delivery AND code = '\(resendOrdered)'), 0
            )), 0),
            COALESCE(MAX(ordinal), 0)
        FROM attempt WHERE delivery = :delivery
        """

    static let lastAttempt = "SELECT COALESCE(MAX(ordinal), 0) FROM attempt WHERE delivery = ?"

    static let mayHaveBeenReceived = """
        SELECT EXISTS (SELECT 1 FROM attempt WHERE delivery = ? AND (ended_at IS NULL OR class = 'unknown'))
        """
}
