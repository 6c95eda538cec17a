import IDCardCore
import IDCardPipeline

/// The questions of intake; apart, so that a test can ask SQLite how it answers them.
enum IntakeSQL {
    /// A tombstone counts here: a rescan does not bring an erased person back. The device is not compared: its number
    /// may change at a restart.
    static let cardOfFile = """
        SELECT \(CardColumn.list), \(CardColumn.dataKey)
        FROM source_file JOIN card ON card.id = source_file.card LEFT JOIN data_key ON data_key.owner = card.id
        WHERE path_fingerprint = ? AND inode = ? AND size = ? AND modified_ns = ?
        """

    /// The tombstone of what a file held, however its attributes have changed since.
    static let erasedCardOfFile = """
        SELECT card.id FROM source_file JOIN card ON card.id = source_file.card
        WHERE path_fingerprint = ? AND source_file.content_fingerprint = ? AND card.state = 'erased'
        """

    static let rememberContent = "UPDATE source_file SET content_fingerprint = ? WHERE path_fingerprint = ?"

    /// A tombstone does not count here: a new file with the same bytes is a new card.
    static let cardOfContent = """
        SELECT \(CardColumn.list) FROM card WHERE content_fingerprint = ? AND business_no = ? AND state <> 'erased'
        """

    static let insertCard = """
        INSERT INTO card (
            id, state, business_no, content_fingerprint, intake_order, priority, user_number, expected_id_number,
            expected_name, expected_side, reason, message, created_at, changed_at
        ) VALUES (
            :id, :state, :businessNumber, :content, :intakeOrder, :priority, :userNumber, :expectedIDNumber,
            :expectedName, :expectedSide, :reason, :message, :now, :now
        )
        """

    /// Whether the image of a card is there and nobody works on the card.
    static let canBeJudgedAgain = """
        SELECT lease_owner IS NULL AND EXISTS (SELECT 1 FROM image WHERE image.card = card.id) FROM card WHERE id = ?
        """

    /// What verification and the last delivery left on a card that is to be judged again; its reading stays.
    static let forgetVerdict = """
        UPDATE card SET side = NULL, holder_fingerprint = NULL, delivery = NULL, is_accepted = 0, goes_alone = 0
        WHERE id = ?
        """

    /// Whether a newer photo of a side was delivered, or may still be; the newest first, which is the most likely.
    static let isReplaced = """
        SELECT 1 FROM card INDEXED BY card_business
        WHERE business_no = :number AND intake_order > :order AND COALESCE(side, expected_side, :side) = :side
            AND state IN (\(SandboxSchema.list(CardState.allCases.filter(\.mayReplace))))
        ORDER BY intake_order DESC LIMIT 1
        """

    /// Writes down, when the newer photo is erased, that older ones must not come back.
    static let keepReplaced = """
        UPDATE card INDEXED BY card_business SET reason = '\(ReasonCode.replacedBySent.rawValue)'
        WHERE business_no = :number AND state = 'superseded' AND reason = '\(ReasonCode.superseded.rawValue)'
            AND intake_order < :order AND COALESCE(side, expected_side) = :side
        """

    static let rememberFile = """
        INSERT INTO source_file (path_fingerprint, device, inode, size, modified_ns, card)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (path_fingerprint) DO UPDATE SET
            device = excluded.device, inode = excluded.inode, size = excluded.size,
            modified_ns = excluded.modified_ns, card = excluded.card,
            is_reused = source_file.is_reused OR source_file.card <> excluded.card
        """

    /// The card that was taken in from a path last, not erased, and whether it was the only one.
    static let lastCardOfPath = """
        SELECT \(CardColumn.list), \(CardColumn.dataKey), source_file.is_reused, source_file.inode,
            source_file.size, source_file.modified_ns, card.lease_owner IS NOT NULL AS is_leased
        FROM source_file JOIN card ON card.id = source_file.card LEFT JOIN data_key ON data_key.owner = card.id
        WHERE path_fingerprint = ? AND card.state <> 'erased'
        """

    /// The card, not erased, that holds the bytes of another one under a business number.
    static let twin = """
        SELECT \(CardColumn.list) FROM card WHERE state <> 'erased' AND business_no = ?
            AND content_fingerprint = (SELECT content_fingerprint FROM card WHERE id = ?)
        """

    static let renumberCard = "UPDATE card SET business_no = ? WHERE id = ?"

    /// What the file held is not known under its new fingerprint until it is read again.
    static let renumberFile = """
        UPDATE OR REPLACE source_file SET path_fingerprint = ?, content_fingerprint = NULL, card = ?
        WHERE path_fingerprint = ?
        """
}
