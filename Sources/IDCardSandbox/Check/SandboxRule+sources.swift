import IDCardCore
import IDCardPipeline

extension SandboxRule {
    /// Whether the pieces of a card do not follow each other from the first byte on.
    private static let hasGap = """
        EXISTS (
            SELECT 1 FROM (
                SELECT start, lag(start + byte_count, 1, 0) OVER (ORDER BY start) AS expected
                FROM source_piece WHERE source_piece.card = card.id
            ) WHERE start <> expected
        )
        """

    /// The states in which a card may have source bytes, or the address of which they come.
    private static let statesWithSource = "'fetching', 'received', 'failed', 'held', 'erased'"

    /// Whether the source bytes of a card are of no use any more; those of a tombstone have a rule of their own.
    static let hasSourceLeft = """
        state NOT IN (\(statesWithSource)) AND (
            EXISTS (SELECT 1 FROM source_piece WHERE source_piece.card = card.id)
            OR EXISTS (SELECT 1 FROM fetch WHERE fetch.card = card.id)
        )
        """

    /// Whether a card that is to be prepared or fetched lacks what is needed for that.
    static let lacksSource = """
        (state = 'fetching' AND NOT EXISTS (SELECT 1 FROM fetch WHERE fetch.card = card.id))
        OR (state = 'received' AND (
            NOT EXISTS (SELECT 1 FROM source_piece WHERE source_piece.card = card.id) OR \(hasGap)
        ))
        """

    /// The rules of cards whose image is not decoded, or not even here yet.
    static let sources: [SandboxRule] = [
        SandboxRule(
            .sourceMissing,
            isRepairable: true,
            "the source bytes of the card, or their address, are not there; a repair puts the card aside, take the photo "
                + "in again",
            sql: "SELECT id FROM card WHERE \(lacksSource)"
        ),
        SandboxRule(
            .sourceLeft,
            isRepairable: true,
            "source bytes of the card, or their address, are there although they are not needed any more; a repair removes "
                + "them",
            sql: "SELECT id FROM card WHERE \(hasSourceLeft)"
        ),
        SandboxRule(
            .sourceLeft,
            isRepairable: true,
            "the image of the card was received, but its address is still there; a repair removes it",
            sql:
                "SELECT id FROM card WHERE state = 'received' AND EXISTS (SELECT 1 FROM fetch WHERE fetch.card = card.id)"
        ),
        SandboxRule(
            .valueImpossible,
            "a fingerprint of a receipt has not 32 bytes; restore a backup",
            sql: """
                SELECT card FROM receipt WHERE length(name_fingerprint) <> 32 OR length(request_fingerprint) <> 32
                """
        ),
    ]
}
