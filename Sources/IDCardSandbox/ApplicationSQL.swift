/// The questions about one business number; apart, so that a test can ask SQLite how it answers them.
enum ApplicationSQL {
    /// The columns of `snapshot`, in its order.
    enum SnapshotColumn: Int {
        case id, state, reason, side, holder, intakeOrder, userNumber, changedAt, isAccepted, isKept, dueAt, isShrunk
        case goesAlone
    }

    static let snapshot = """
        SELECT id, state, reason, COALESCE(side, expected_side) AS side, holder_fingerprint, intake_order, user_number,
            changed_at, is_accepted, state = 'held' AND delivery IS NOT NULL AS is_kept,
            CASE WHEN state = 'verified' AND due_at > 0 THEN due_at END AS due_at, is_shrunk, goes_alone
        FROM card WHERE business_no = ? AND state <> 'erased' ORDER BY intake_order, id
        """

    /// Of what others have leased, which is never much.
    static let leasedElsewhere = """
        SELECT business_no FROM card INDEXED BY card_lease WHERE lease_owner IS NOT NULL AND lease_owner <> :owner
        UNION
        SELECT card.business_no FROM delivery INDEXED BY delivery_lease
            CROSS JOIN delivery_card ON delivery_card.delivery = delivery.id
            CROSS JOIN card ON card.id = delivery_card.card
        WHERE delivery.lease_owner IS NOT NULL AND delivery.lease_owner <> :owner
        """

    static let withVerifiedCards = """
        SELECT DISTINCT business_no FROM card INDEXED BY card_verified WHERE state = 'verified' ORDER BY business_no
        """
}
