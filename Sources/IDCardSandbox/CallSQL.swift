import IDCardPipeline

/// The questions about calls that failed; apart, so that a test can ask SQLite how it answers them.
enum CallSQL {
    /// Nothing is written as long as no card has failed there.
    static let noteSuccess = """
        UPDATE endpoint SET succeeded_from = :start
        WHERE stage = :stage AND (succeeded_from < :start OR succeeded_from > :now)
            AND EXISTS (SELECT 1 FROM call_failure WHERE stage = :stage)
        """

    /// What a card that has ended told of the endpoint holds until the endpoint takes a call that began later.
    static let forgetEnded = """
        DELETE FROM call_failure WHERE stage = :stage AND card IN (
            SELECT call_failure.card FROM call_failure JOIN card ON card.id = call_failure.card
            WHERE call_failure.stage = :stage AND card.state NOT IN ('prepared', 'verified', 'delivering')
                AND COALESCE(call_failure.stopped_at, call_failure.last_at) < :start
        )
        """

    static let noteFailure = """
        INSERT INTO call_failure (stage, card, failures, first_at, last_at, stopped_at, code)
        VALUES (:stage, :card, 1, :start, :now, :stopped, :code)
        ON CONFLICT (stage, card) DO UPDATE SET
            number = (SELECT max(number) + 1 FROM call_failure), failures = failures + 1,
            last_at = excluded.last_at, stopped_at = COALESCE(excluded.stopped_at, stopped_at),
            code = COALESCE(excluded.code, code)
        """

    static let forget = "DELETE FROM call_failure WHERE card = ?"

    static let ofCard = """
        SELECT failures, first_at, last_at, stopped_at FROM call_failure WHERE stage = ? AND card = ?
        """

    static let succeededFrom = "SELECT succeeded_from FROM endpoint WHERE stage = ?"

    /// The cards that got a `stop` since the endpoint last took a call.
    static let stopped = """
        SELECT card FROM call_failure WHERE stage = ? AND stopped_at > ? AND stopped_at <= ? LIMIT 1000
        """

    /// The cards that were refused with a code since the endpoint last took a call.
    static let refused = """
        SELECT card.id, card.business_no, card.state = 'rejected' AND card.reason = :code AND card.lease_owner IS NULL
            AND EXISTS (SELECT 1 FROM image WHERE image.card = card.id)
        FROM call_failure JOIN card ON card.id = call_failure.card
        WHERE call_failure.stage = :stage AND call_failure.code = :code
            AND call_failure.stopped_at > :since AND call_failure.stopped_at <= :now
            AND card.state IN ('rejected', 'verified', 'delivering', 'held')
        """

    /// The codes by which a stage may have been stopped.
    static let codes = "SELECT DISTINCT code FROM call_failure WHERE stage = ? AND code IS NOT NULL"

    /// The last calls that have ended, to either endpoint, the latest first.
    static let lastCalls = """
        SELECT card IS NOT NULL AS is_verification, class, code, http_status, started_at FROM attempt
        WHERE ended_at IS NOT NULL ORDER BY id DESC LIMIT ?
        """

    /// Whether calls about a card have failed.
    static func hasFailed(_ stage: Stage, card: String) -> String {
        "SELECT 1 FROM call_failure WHERE call_failure.stage = '\(stage.rawValue)' AND call_failure.card = \(card)"
    }
}
