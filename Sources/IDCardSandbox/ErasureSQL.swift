/// The questions of erasure; apart, so that a test can ask SQLite how it answers them.
enum ErasureSQL {
    static let card = """
        SELECT state, reason, business_no, COALESCE(side, expected_side) AS side, content_fingerprint, lease_owner,
            changed_at, intake_order
        FROM card WHERE id = ?
        """

    /// What stays is id, times, state, reason, and the place in the intake order.
    static let bury = """
        UPDATE card SET state = 'erased', reason = :reason, business_no = :businessNumber, content_fingerprint = x'',
            priority = 0, user_number = NULL, expected_id_number = NULL, expected_name = NULL, expected_side = NULL,
            side = NULL, holder_fingerprint = NULL, message = NULL, is_shrunk = 0, is_accepted = 0, goes_alone = 0,
            delivery = NULL, attempts = 0, due_at = 0, lease_owner = NULL, lease_expires_at = NULL, changed_at = :now
        WHERE id = :id AND state = :state
        """

    static let deliveries = """
        SELECT delivery.id, delivery.state FROM delivery_card JOIN delivery ON delivery.id = delivery_card.delivery
        WHERE delivery_card.card = ? ORDER BY delivery.number
        """

    /// Closes a delivery without which the card would be sent after all.
    static let takeApart = """
        UPDATE delivery SET state = 'dissolved', due_at = 0, lease_owner = NULL, lease_expires_at = NULL,
            changed_at = ?
        WHERE id = ? AND state IN ('open', 'held')
        """

    static let heldMembers = """
        SELECT card.id FROM delivery_card JOIN card ON card.id = delivery_card.card
        WHERE delivery_card.delivery = ? AND card.id <> ? AND card.state = 'held' AND card.delivery = ?
        """

    static let sourceFileCount = "SELECT count(*) FROM source_file WHERE card = ?"

    static let exportCount = "SELECT count(*) FROM access_log WHERE card = ? AND action = 'export'"

    static let verifierClasses = "SELECT DISTINCT class FROM attempt WHERE card = ?"

    static let backendClasses = """
        SELECT DISTINCT COALESCE(class, 'unknown') FROM attempt
        WHERE delivery IN (SELECT delivery FROM delivery_card WHERE card = ?)
        """

    /// Sealed values apart from the row of the card; of a piece of source bytes its ends, which is what is looked for.
    static let traces = [
        "SELECT content FROM reading WHERE card = ?",
        "SELECT url FROM fetch WHERE card = ?",
        "SELECT validator FROM fetch WHERE card = ? AND validator IS NOT NULL",
        "SELECT substr(bytes, 1, 24) || substr(bytes, -24) FROM source_piece WHERE card = ?",
    ]

    static let wrappedKey = "SELECT bytes FROM data_key WHERE owner = ?"

    /// The crashes of bytes that no card has any more.
    static let forgetCrashes = """
        DELETE FROM decoder_crash WHERE content_fingerprint = :content
            AND NOT EXISTS (SELECT 1 FROM card WHERE content_fingerprint = :content)
        """

    static let certificate = "SELECT certificate, is_scrubbed FROM erasure WHERE card = ?"

    /// Every certificate, with the code of the line that it names, if that line tells of the erasure of its card.
    static let loggedErasures = """
        SELECT erasure.card, erasure.certificate, access_log.mac FROM erasure
        JOIN card ON card.id = erasure.card
        LEFT JOIN access_log ON access_log.card = erasure.card AND access_log.action = 'erase'
            AND access_log.number = CASE WHEN json_valid(erasure.certificate)
                THEN json_extract(erasure.certificate, '$.access_number') END
        WHERE card.state = 'erased' ORDER BY erasure.card
        """

    /// Once nothing is left of a card, it is looked for no more.
    static let keep = """
        UPDATE erasure SET certificate = ?1, is_scrubbed = ?2, is_certified = 0,
            traces = CASE WHEN ?2 THEN NULL ELSE traces END, search = CASE WHEN ?2 THEN NULL ELSE search END
        WHERE card = ?3
        """

    static let unfinished = """
        SELECT card FROM erasure INDEXED BY erasure_open WHERE is_scrubbed = 0 OR is_certified = 0 ORDER BY card
        """

    /// Whether an erasure that is open left something, or nobody knows what.
    static let needsRewrite = """
        SELECT EXISTS (SELECT 1 FROM erasure INDEXED BY erasure_open
            WHERE (is_scrubbed = 0 OR is_certified = 0) AND is_scrubbed = 0 AND (traces IS NULL OR search = 'found'))
        """

    static let uncertified = """
        SELECT card FROM erasure INDEXED BY erasure_open
        WHERE (is_scrubbed = 0 OR is_certified = 0) AND is_certified = 0 ORDER BY card
        """

    /// Whether a card is still to be looked for: what was found is not, it stays until the file is rewritten.
    static let needsSearch = """
        SELECT EXISTS (SELECT 1 FROM erasure INDEXED BY erasure_open
            WHERE (is_scrubbed = 0 OR is_certified = 0) AND is_scrubbed = 0 AND traces IS NOT NULL
                AND search IS NOT 'found')
        """

    static let searchStanding = "SELECT search_number, search_position FROM sandbox"

    static let sought = """
        SELECT card, traces, search FROM erasure INDEXED BY erasure_open
        WHERE (is_scrubbed = 0 OR is_certified = 0) AND is_scrubbed = 0 AND search IS NOT NULL
        """

    static let found = """
        SELECT card FROM erasure INDEXED BY erasure_open
        WHERE (is_scrubbed = 0 OR is_certified = 0) AND is_scrubbed = 0 AND search = 'found'
        """

    /// All that are to be looked for, in one search; not what was found: it stays until the file is rewritten.
    static let seek = """
        UPDATE erasure INDEXED BY erasure_open SET search = 'sought'
        WHERE (is_scrubbed = 0 OR is_certified = 0) AND is_scrubbed = 0 AND traces IS NOT NULL
            AND search IS NOT 'found'
        """

    /// Of two processes that prepare a search the later begins it.
    static let numberSearch = "UPDATE sandbox SET search_number = search_number + 1 WHERE search_position IS NULL"

    static let beginSearch = """
        UPDATE sandbox SET search_position = :size WHERE search_number = :number AND search_position IS NULL
        """

    /// Of two processes that searched the same piece one moves the search on.
    static let moveSearch = """
        UPDATE sandbox SET search_position = :next WHERE search_number = :number AND search_position = :position
        """

    static let noteFound = """
        UPDATE erasure SET search = 'found'
        WHERE card = :card AND search = 'sought' AND :number = (SELECT search_number FROM sandbox)
        """

    static let endSearch = "UPDATE sandbox SET search_position = NULL WHERE search_number = ? AND search_position = 0"

    /// Of what was looked for to the end, and not found, nothing is left; the certificates are still to say so.
    static let concludeSought = """
        UPDATE erasure INDEXED BY erasure_open SET is_scrubbed = 1, is_certified = 0, traces = NULL, search = NULL
        WHERE (is_scrubbed = 0 OR is_certified = 0) AND is_scrubbed = 0 AND search = 'sought'
        """

    static let expired = "SELECT id FROM card WHERE state = ? AND changed_at <= ? ORDER BY changed_at LIMIT ?"

    /// The places of erased cards in deliveries that may have arrived.
    static let erasedDocuments = """
        SELECT delivery_card.delivery, delivery_card.position, delivery_card.card FROM delivery_card
        JOIN card ON card.id = delivery_card.card WHERE card.state = 'erased'
        ORDER BY delivery_card.delivery, delivery_card.position
        """
}
