import IDCardCore
import IDCardPipeline

/// How cards of one state are claimed, in any stage; apart, so that a test can ask SQLite how it answers.
enum ClaimSQL {
    /// Walks the order of the claim and stops at the limit; a backlog is neither read nor sorted.
    ///
    /// - Parameter stage: the stage of which only those are claimed that have not failed there; `nil` for all.
    static func claim(_ state: CardState, untriedIn stage: Stage? = nil) -> String {
        let filter = stage.map { "AND NOT EXISTS (\(CallSQL.hasFailed($0, card: "card.id")))" } ?? ""
        return """
            UPDATE card SET lease_owner = ?, lease_expires_at = ?
            WHERE id IN (
                SELECT id FROM card INDEXED BY card_claim
                WHERE state = '\(state.rawValue)' AND lease_owner IS NULL AND due_at <= ? \(filter)
                ORDER BY priority DESC, intake_order LIMIT ?
            )
            RETURNING \(CardColumn.list)
            """
    }

    /// Claims what failed, longest ago first: these are few.
    static func claimTried(_ state: CardState, in stage: Stage) -> String {
        """
        UPDATE card SET lease_owner = ?, lease_expires_at = ?
        WHERE id IN (
            SELECT card.id FROM call_failure JOIN card ON card.id = call_failure.card
            WHERE call_failure.stage = '\(stage.rawValue)' AND card.state = '\(state.rawValue)'
                AND card.lease_owner IS NULL AND card.due_at <= ?
            ORDER BY call_failure.number LIMIT ?
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
