import IDCardCore

extension SandboxRule {
    private static let isKnownUnreadable = "reason IS '\(ReasonCode.imageUnreadable.rawValue)'"
    private static let hasNoImage = "NOT EXISTS (SELECT 1 FROM image WHERE image.card = card.id)"
    private static let hasNoSource = """
        NOT EXISTS (SELECT 1 FROM source_piece WHERE source_piece.card = card.id)
        AND NOT EXISTS (SELECT 1 FROM fetch WHERE fetch.card = card.id)
        """

    /// The rules of a card by itself.
    static let cards: [SandboxRule] = [
        SandboxRule(
            .imageMissing,
            isRepairable: true,
            "the image that is to be sent is not there; a repair puts the card aside, take the photo in again",
            sql: "SELECT id FROM card WHERE state IN ('prepared', 'verified') AND \(hasNoImage)"
        ),
        SandboxRule(
            .imageMissing,
            "the image that is to be sent is not there; the next run puts the card aside if nothing was sent",
            sql: "SELECT id FROM card WHERE state = 'delivering' AND \(hasNoImage)"
        ),
        SandboxRule(
            .imageMissing,
            "the image is not there, so that the card cannot go on; take the photo in again as a new file",
            sql: """
                SELECT id FROM card
                WHERE state IN ('held', 'failed') AND NOT \(isKnownUnreadable) AND \(hasNoImage) AND \(hasNoSource)
                """
        ),
        SandboxRule(
            .readingMissing,
            "what was read from the card is not there; restore a backup, or erase the card and take it in again",
            sql: """
                SELECT id FROM card WHERE state IN ('verified', 'delivering')
                    AND NOT EXISTS (SELECT 1 FROM reading WHERE reading.card = card.id)
                """
        ),
        SandboxRule(
            .sideMissing,
            "the side of the card is not known; restore a backup, or erase the card and take it in again",
            sql: "SELECT id FROM card WHERE state IN ('verified', 'delivering') AND side IS NULL"
        ),
        SandboxRule(
            .reasonMissing,
            "the card does not say why it ended so; `cards show` has its history",
            sql: "SELECT id FROM card WHERE state IN ('rejected', 'failed', 'held', 'superseded') AND reason IS NULL"
        ),
        SandboxRule(
            .valueImpossible,
            "a fingerprint has not 32 bytes; restore a backup",
            sql: """
                SELECT id FROM card WHERE state <> 'erased'
                    AND (length(content_fingerprint) <> 32 OR length(holder_fingerprint) <> 32)
                """
        ),
        SandboxRule(
            .contentTwice,
            "another live card of the business number holds the same bytes; hold one of them back and report this",
            sql: """
                SELECT id FROM card NOT INDEXED JOIN (
                    SELECT content_fingerprint AS content, business_no AS number FROM card NOT INDEXED
                    WHERE state <> 'erased' GROUP BY content, number HAVING count(*) > 1
                ) ON content_fingerprint = content AND business_no = number AND state <> 'erased'
                """
        ),
        SandboxRule(
            .sideTwice,
            "another photo of the same side is being delivered at the same time; please report this",
            sql: """
                SELECT id FROM card JOIN (
                    SELECT business_no AS number, side AS shown FROM card
                    WHERE state = 'delivering' GROUP BY number, shown HAVING count(*) > 1
                ) ON state = 'delivering' AND business_no = number AND side = shown
                """
        ),
        SandboxRule(
            .intakeOrderBehind,
            isRepairable: true,
            "the next place in the order of intake is taken already; a repair moves it on",
            sql: "SELECT NULL FROM sandbox WHERE next_intake_order <= (SELECT max(intake_order) FROM card)"
        ),
    ]

    /// Whether a tombstone holds anything that it must not.
    static let hasRemnant = """
        user_number IS NOT NULL OR expected_id_number IS NOT NULL OR expected_name IS NOT NULL
        OR expected_side IS NOT NULL OR side IS NOT NULL OR message IS NOT NULL OR holder_fingerprint IS NOT NULL
        OR length(content_fingerprint) > 0 OR business_no <> '\(BusinessNumber.erased.rawValue)'
        OR EXISTS (SELECT 1 FROM image WHERE image.card = card.id)
        OR EXISTS (SELECT 1 FROM reading WHERE reading.card = card.id)
        OR EXISTS (SELECT 1 FROM source_piece WHERE source_piece.card = card.id)
        OR EXISTS (SELECT 1 FROM fetch WHERE fetch.card = card.id)
        OR EXISTS (SELECT 1 FROM data_key WHERE data_key.owner = card.id)
        """

    /// The rules of tombstones.
    static let erasures: [SandboxRule] = [
        SandboxRule(
            .erasedRemnant,
            isRepairable: true,
            "the card was erased, but something of it is left; a repair erases it for good",
            sql: "SELECT id FROM card WHERE state = 'erased' AND (\(hasRemnant))"
        ),
        SandboxRule(
            .erasureUnfinished,
            severity: .notice,
            isRepairable: true,
            "the card is erased, but its certificate or the search for remaining bytes is not finished; the next run goes on "
                + "with it, a repair does it at once: if bytes are left, with as much memory and free disk as the file is "
                + "large",
            sql: """
                SELECT card FROM erasure JOIN card ON card.id = erasure.card
                WHERE state = 'erased' AND (is_scrubbed = 0 OR is_certified = 0)
                """
        ),
        SandboxRule(
            .historyImpossible,
            "there is a certificate that the card was erased, but it lives; erase it again",
            sql: "SELECT card FROM erasure JOIN card ON card.id = erasure.card WHERE state <> 'erased'"
        ),
    ]

    /// The rules of a card's history.
    static let histories: [SandboxRule] = [
        SandboxRule(
            .historyMissing,
            "the card has no history; restore a backup",
            sql: """
                SELECT id FROM card WHERE state <> 'erased' AND NOT EXISTS (SELECT 1 FROM event WHERE card = card.id)
                """
        ),
        SandboxRule(
            .historyDisagrees,
            "the history of the card ends in another state than the card; restore a backup",
            sql: """
                SELECT id FROM card WHERE state <> (
                    SELECT state FROM event WHERE event.card = card.id AND state IS NOT NULL
                    ORDER BY event.id DESC LIMIT 1
                )
                """
        ),
        SandboxRule(
            .historyImpossible,
            "the card went on after a state that is final; restore a backup",
            sql: """
                SELECT DISTINCT final.card FROM event AS final JOIN event AS later
                    ON later.card = final.card AND later.id > final.id AND later.state IS NOT NULL
                WHERE (final.state = 'delivered' AND later.state NOT IN ('delivered', 'erased'))
                    OR final.state = 'erased'
                """
        ),
        SandboxRule(
            .deliveredTwice,
            "the card was delivered more than once; compare with the backend and report this",
            sql: "SELECT card FROM event WHERE state = 'delivered' GROUP BY card HAVING count(*) > 1"
        ),
    ]
}
