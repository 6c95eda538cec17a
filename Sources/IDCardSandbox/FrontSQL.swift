import IDCardCore

/// The questions about erased fronts and the backs held for them; apart, so that a test can ask SQLite how it answers them.
enum FrontSQL {
    static let side = "SELECT business_no, COALESCE(side, expected_side) AS side FROM card WHERE id = ?"

    static let isDelivered = """
        SELECT EXISTS (
            SELECT 1 FROM card INDEXED BY card_business
            WHERE business_no = ? AND state = 'delivered' AND COALESCE(side, expected_side) = 'front'
        )
        """

    /// Whether there is a card that is, or may be, a front and can still be delivered.
    static let isAlive = """
        SELECT EXISTS (
            SELECT 1 FROM card INDEXED BY card_business
            WHERE business_no = ? AND COALESCE(side, expected_side, 'front') = 'front'
                AND state IN (\(SandboxSchema.list(CardState.allCases.filter { $0.isRunnable || $0 == .held })))
        )
        """

    static let remember = "INSERT OR IGNORE INTO erased_front (number_fingerprint, since) VALUES (?, ?)"

    static let isRemembered = "SELECT EXISTS (SELECT 1 FROM erased_front WHERE number_fingerprint = ?)"

    static let forget = "DELETE FROM erased_front WHERE number_fingerprint = ?"

    /// The backs that an erasure of their front holds.
    static let waitingBacks = """
        SELECT id FROM card INDEXED BY card_verified
        WHERE state = 'verified' AND business_no = ? AND side = 'back' AND goes_alone = 0
        """

    /// Has the backs of a business number wait for a front from now on.
    static let restartWait = """
        UPDATE card INDEXED BY card_verified SET changed_at = ?
        WHERE state = 'verified' AND business_no = ? AND side = 'back'
        """

    /// The backs that a delivered front releases.
    static let heldBacks = """
        SELECT id FROM card INDEXED BY card_held WHERE state = 'held' AND business_no = ?
            AND reason IN (\(ReasonCode.releasedByFront.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")))
        """

    static let letGoAlone = "UPDATE card SET goes_alone = 1 WHERE id = ?"
}
