/// The questions of verification; apart, so that a test can ask SQLite how it answers them.
enum VerificationSQL {
    /// Walks the order of the claim and stops at the limit; a backlog is neither read nor sorted.
    static let claim = """
        UPDATE card SET lease_owner = ?, lease_expires_at = ?
        WHERE id IN (
            SELECT id FROM card INDEXED BY card_claim
            WHERE state = 'prepared' AND lease_owner IS NULL AND due_at <= ?
            ORDER BY priority DESC, intake_order LIMIT ?
        )
        RETURNING *
        """

    static let nextDue = """
        SELECT CASE due_at WHEN 0 THEN changed_at ELSE due_at END FROM card
        WHERE state = 'prepared' AND lease_owner IS NULL ORDER BY due_at LIMIT 1
        """

    static let reading = """
        SELECT card, content FROM reading
        WHERE key_fingerprint = ? AND provider = ? AND parameters = ? ORDER BY created_at DESC LIMIT 1
        """
}
