import IDCardCore

/// The questions about cards without an image; apart, so that a test can ask SQLite how it answers them.
enum ReceptionSQL {
    static let receipt = "SELECT card, request_fingerprint FROM receipt WHERE name_fingerprint = ?"

    static let keepReceipt = """
        INSERT INTO receipt (name_fingerprint, request_fingerprint, card, created_at) VALUES (?, ?, ?, ?)
        """

    /// One that the backup has already led to this card or to none that came later.
    static let restoreReceipt = """
        INSERT INTO receipt (name_fingerprint, request_fingerprint, card, created_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (name_fingerprint) DO NOTHING
        """

    static let hasOldReceipts = "SELECT EXISTS (SELECT 1 FROM receipt WHERE created_at < ?)"

    static let forgetReceipts = "DELETE FROM receipt WHERE created_at < ?"

    /// Walks two indexes no further than the limit; only of cards that are `verified` the rows are read.
    static let queueDepth = """
        SELECT count(*) FROM (
            SELECT 1 FROM card INDEXED BY card_age
            WHERE state IN (\(SandboxSchema.list(CardState.allCases.filter { $0.isRunnable && $0 != .verified })))
            UNION ALL
            SELECT 1 FROM card INDEXED BY card_verified
            WHERE state = 'verified' AND (
                reason IS NULL OR reason NOT IN (\(Self.list(ReasonCode.askingAPerson.union(ReasonCode.awaitingPhotos))))
            )
            LIMIT ?
        )
        """

    /// As `queueDepth`, of those that wait for a person.
    static let waitingDepth = """
        SELECT count(*) FROM (
            SELECT 1 FROM card INDEXED BY card_age WHERE state = 'held'
            UNION ALL
            SELECT 1 FROM card INDEXED BY card_verified
            WHERE state = 'verified' AND reason IN (\(Self.list(ReasonCode.askingAPerson)))
            LIMIT ?
        )
        """

    private static func list(_ reasons: Set<ReasonCode>) -> String {
        SandboxSchema.list(reasons.sorted { $0.rawValue < $1.rawValue })
    }

    static let keepPiece = "INSERT INTO source_piece (card, start, byte_count, bytes) VALUES (?, ?, ?, ?)"

    /// The pieces that a new one covers, even in part; none that begins further away than a piece is long is looked at.
    static let dropCovered = """
        DELETE FROM source_piece WHERE card = :card AND start < :end
            AND start > :start - \(SandboxSchema.largestPiece) AND start + byte_count > :start
        """

    /// The piece that an offset lies in, or the last before it.
    static let pieceAt = """
        SELECT start, byte_count, bytes FROM source_piece WHERE card = ? AND start <= ? ORDER BY start DESC LIMIT 1
        """

    static let pieces = "SELECT start, byte_count FROM source_piece WHERE card = ? ORDER BY start"

    static let hasPieces = "SELECT EXISTS (SELECT 1 FROM source_piece WHERE card = ?)"

    static let dropPieces = "DELETE FROM source_piece WHERE card = ?"

    static let fetch = "SELECT url, validator, byte_count FROM fetch WHERE card = ?"

    static let dropFetch = "DELETE FROM fetch WHERE card = ?"

    /// What was taken in from a place is another card.
    static let handOverPlaces = "UPDATE source_file SET card = ? WHERE card = ?"

    static let hasFetch = "SELECT EXISTS (SELECT 1 FROM fetch WHERE card = ?)"

    /// Whether something is there of which an image could still be made.
    static let hasSource = """
        SELECT EXISTS (SELECT 1 FROM source_piece WHERE card = ?) OR EXISTS (SELECT 1 FROM fetch WHERE card = ?)
        """

    static let noteAttempt = """
        INSERT INTO fetch_attempt (card, ordinal, started_at, ended_at, class, code, http_status)
        SELECT :card, COALESCE(MAX(ordinal), 0) + 1, :started, :ended, :class, :code, :status
        FROM fetch_attempt WHERE card = :card
        """

    static let keepRun = """
        INSERT INTO source_run (id, source, state, reason, counts, started_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
            state = excluded.state, reason = excluded.reason, counts = excluded.counts, ended_at = excluded.ended_at
        """

    static let run = "SELECT * FROM source_run WHERE id = ?"

    static let openRuns = "SELECT * FROM source_run WHERE state = 'running' ORDER BY started_at, id"
}
