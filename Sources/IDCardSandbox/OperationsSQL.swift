/// The questions of operators' commands; apart, so that a test can ask SQLite how it answers them.
enum OperationsSQL {
    static let newerInState = """
        SELECT EXISTS (
            SELECT 1 FROM card WHERE business_no = ? AND intake_order > ? AND state = ?
                AND COALESCE(side, expected_side) = ?
        )
        """

    /// Whether an attempt of any delivery that a card was ever a member of has an outcome that nobody knows.
    static let mayBeAtBackend = """
        SELECT EXISTS (
            SELECT 1 FROM attempt WHERE delivery IN (SELECT delivery FROM delivery_card WHERE card = ?)
                AND (ended_at IS NULL OR class = 'unknown')
        )
        """

    static let endWait = """
        UPDATE card SET due_at = 0
        WHERE id = ? AND state IN ('fetching', 'received', 'prepared', 'verified') AND lease_owner IS NULL AND due_at > ?
        """

    static let wasRead = "SELECT EXISTS (SELECT 1 FROM reading WHERE card = ?)"

    /// Whether a member is neither kept in a delivery nor was delivered by it.
    static let isApart = """
        SELECT EXISTS (
            SELECT 1 FROM delivery_card JOIN card ON card.id = delivery_card.card
            WHERE delivery_card.delivery = ?
                AND NOT (card.state IN ('held', 'delivered') AND card.delivery IS delivery_card.delivery)
        )
        """

    /// A delivery with whether it waits for a stage that is stopped.
    static let standing = """
        SELECT state, state = 'open' AND lease_owner IS NULL
            AND EXISTS (SELECT 1 FROM stage_pause WHERE stage = 'deliver')
        FROM delivery WHERE id = ?
        """

    /// Puts aside what is to be sent.
    static let putAside = """
        UPDATE delivery SET state = 'held', due_at = 0, changed_at = ?
        WHERE id = ? AND state = 'open' AND lease_owner IS NULL
        """

    /// Forgets the failed attempts of what is to be sent.
    static let restart = "UPDATE delivery SET attempts = 0, due_at = 0 WHERE id = ? AND state = 'open'"

    static let restartMembers = """
        UPDATE card SET attempts = 0, due_at = 0 WHERE delivery = ? AND state = 'delivering'
        """

    static let reopen = """
        UPDATE delivery SET state = 'open', attempts = 0, due_at = 0, changed_at = ? WHERE id = ? AND state = 'held'
        """

    static let heldMembers = """
        SELECT card.id FROM delivery_card JOIN card ON card.id = delivery_card.card
        WHERE delivery_card.delivery = ? AND card.state = 'held' AND card.delivery = delivery_card.delivery
        ORDER BY delivery_card.position
        """

    /// Of the members that have not left it for another delivery.
    static let memberStates = """
        SELECT card.state FROM delivery_card JOIN card ON card.id = delivery_card.card
        WHERE delivery_card.delivery = ? AND card.delivery = delivery_card.delivery
        """
}
