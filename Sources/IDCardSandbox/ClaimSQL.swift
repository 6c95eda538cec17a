import IDCardCore

/// How cards of one state are claimed, in any stage; apart, so that a test can ask SQLite how it answers.
enum ClaimSQL {
    /// Walks the order of the claim and stops at the limit; a backlog is neither read nor sorted.
    static func claim(_ state: CardState) -> String {
        """
        UPDATE card SET lease_owner = ?, lease_expires_at = ?
        WHERE id IN (
            SELECT id FROM card INDEXED BY card_claim
            WHERE state = '\(state.rawValue)' AND lease_owner IS NULL AND due_at <= ?
            ORDER BY priority DESC, intake_order LIMIT ?
        )
        RETURNING \(CardColumn.list)
        """
    }

    static func nextDue(_ state: CardState) -> String {
        """
        SELECT CASE due_at WHEN 0 THEN changed_at ELSE due_at END FROM card
        WHERE state = '\(state.rawValue)' AND lease_owner IS NULL ORDER BY due_at LIMIT 1
        """
    }
}
