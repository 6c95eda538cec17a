/// The questions about inputs that are no cards yet; apart, so that a test can ask SQLite how it answers them.
enum AwaitedSQL {
    /// Of one business number: how many inputs are expected or refused, and when their owner last lived if it has ended.
    static let ofNumber = """
        SELECT is_refused, count(*) AS count,
            CASE WHEN EXISTS (SELECT 1 FROM owner WHERE owner.id = input_source.owner) THEN NULL
                ELSE heartbeat_at END AS ended_at
        FROM awaited_input JOIN input_source ON input_source.id = awaited_input.source
        WHERE number_fingerprint = ? GROUP BY input_source.id, is_refused
        """

    /// The business numbers of which other living owners expect an input.
    static let expectedElsewhere = """
        SELECT DISTINCT number_fingerprint FROM awaited_input
            JOIN input_source ON input_source.id = awaited_input.source
            JOIN owner ON owner.id = input_source.owner
        WHERE is_refused = 0 AND owner.id <> ?
        """

    static let numbers = "SELECT DISTINCT number_fingerprint FROM awaited_input"

    static let any = "SELECT EXISTS (SELECT 1 FROM awaited_input)"

    static let anyOfSource = """
        SELECT EXISTS (
            SELECT 1 FROM awaited_input JOIN input_source ON input_source.id = awaited_input.source
            WHERE source_fingerprint = ?
        )
        """

    static let isKnown = """
        SELECT EXISTS (SELECT 1 FROM awaited_input WHERE number_fingerprint = ? AND input_fingerprint = ?)
        """

    static let hasCard = "SELECT EXISTS (SELECT 1 FROM source_file WHERE path_fingerprint = ?)"

    static let end = "DELETE FROM awaited_input WHERE number_fingerprint = ? AND input_fingerprint = ?"

    private static let isOwnOrEnded = "owner = :owner OR owner NOT IN (SELECT id FROM owner)"

    /// Of one input: what its owner, or one that has ended, knew of it.
    static let forgetInput = """
        DELETE FROM awaited_input WHERE number_fingerprint = :number AND input_fingerprint = :input
            AND source IN (SELECT id FROM input_source WHERE \(isOwnOrEnded))
        """

    /// Of one source: all that its owner, or one that has ended, knew of it, and what others refused.
    static let forgetSource = [
        """
        DELETE FROM awaited_input WHERE source IN (
            SELECT id FROM input_source WHERE source_fingerprint = :source AND (\(isOwnOrEnded))
        )
        """,
        """
        DELETE FROM awaited_input WHERE is_refused
            AND source IN (SELECT id FROM input_source WHERE source_fingerprint = :source AND owner <> :owner)
        """,
    ]

    /// The sources of owners that have ended and left nothing.
    static let forgetEmptySources = """
        DELETE FROM input_source WHERE (\(isOwnOrEnded))
            AND NOT EXISTS (SELECT 1 FROM awaited_input WHERE source = input_source.id)
        """

    static let keepSource = """
        INSERT INTO input_source (source_fingerprint, owner, heartbeat_at) VALUES (?, ?, ?)
        ON CONFLICT (source_fingerprint, owner) DO UPDATE SET heartbeat_at = excluded.heartbeat_at
        RETURNING id
        """

    static let keepInput = """
        INSERT OR REPLACE INTO awaited_input (number_fingerprint, input_fingerprint, source, is_refused)
        VALUES (?, ?, ?, ?)
        """

    static let hasInputs = """
        SELECT EXISTS (
            SELECT 1 FROM input_source JOIN awaited_input ON awaited_input.source = input_source.id WHERE owner = ?
        )
        """

    static let beat = "UPDATE input_source SET heartbeat_at = ? WHERE owner = ?"
}
