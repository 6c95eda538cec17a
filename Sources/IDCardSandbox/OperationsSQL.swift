/// The questions of operators' commands; apart, so that a test can ask SQLite how it answers them.
enum OperationsSQL {
    static let newerIsDelivered = """
        SELECT EXISTS (
            SELECT 1 FROM card WHERE business_no = ? AND intake_order > ? AND state = 'delivered'
                AND COALESCE(side, expected_side) = ?
        )
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
