import IDCardCore

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
        FROM card INDEXED BY card_business WHERE business_no = ? AND state NOT IN ('erased', 'superseded')
        ORDER BY intake_order, id
        """

    /// The last taken in first: it is verified last.
    static let awaitsVerification = """
        SELECT 1 FROM card INDEXED BY card_business
        WHERE business_no = ? AND state IN (\(SandboxSchema.list(CardState.allCases.filter(\.awaitsVerification))))
        ORDER BY intake_order DESC LIMIT 1
        """

    static let lastEvent = "SELECT COALESCE(max(id), 0) FROM event"

    /// What the rules wrote down about a wait is no change that they must look at; that a wait is over may be.
    static let toBeDecided = """
        SELECT business_no FROM card INDEXED BY card_verified
        WHERE state = 'verified' AND (reason IS NULL OR reason NOT IN (\(blockingReasons)))
        UNION
        SELECT changed.business_no FROM event CROSS JOIN card AS changed ON changed.id = event.card
        WHERE event.id > :mark AND (event.kind <> 'waiting' OR event.code IS NULL) AND EXISTS (
            SELECT 1 FROM card AS waiting INDEXED BY card_verified
            WHERE waiting.state = 'verified' AND waiting.business_no = changed.business_no
        )
        """

    /// The cards that are blocked by another one of their business number.
    static let blocked = """
        SELECT id FROM card INDEXED BY card_verified
        WHERE state = 'verified' AND business_no = ? AND reason IN (\(blockingReasons))
        """

    private static let blockingReasons = ReasonCode.blocking.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")

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
