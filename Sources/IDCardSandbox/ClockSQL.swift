import IDCardCore

/// What is corrected after a clock was ahead; apart, so that a test can ask SQLite how it answers them.
enum ClockSQL {
    static let seen = "SELECT last_seen_at, doubted_since, doubted_until FROM sandbox"

    static let keep = "UPDATE sandbox SET last_seen_at = ?, doubted_since = ?, doubted_until = ?"

    /// Work that is due later than any wait can be is due at once.
    static let endWaits = [
        """
        UPDATE card INDEXED BY card_due SET due_at = 0
        WHERE state IN (\(Self.waiting)) AND lease_owner IS NULL AND due_at > ?
        """,
        """
        UPDATE delivery INDEXED BY delivery_due SET due_at = 0
        WHERE state = 'open' AND lease_owner IS NULL AND due_at > ?
        """,
    ]

    /// A wait that counts from a change counts from now, if that change lies ahead.
    static let restartWaits = [
        """
        UPDATE card INDEXED BY card_age SET changed_at = :now
        WHERE state IN (\(Self.waiting)) AND lease_owner IS NULL AND changed_at > :limit
        """,
        """
        UPDATE delivery INDEXED BY delivery_due SET changed_at = :now
        WHERE state = 'open' AND lease_owner IS NULL AND changed_at > :limit
        """,
    ]

    static let goBack = """
        UPDATE sandbox SET behind_since = min(COALESCE(behind_since, :now), :now),
            behind_until = max(COALESCE(behind_until, :last), :last)
        """

    /// What ended while the clock was behind, or so long ago, is as old as if it had ended now.
    static let restartAges = """
        UPDATE card INDEXED BY card_age SET changed_at = :now
        WHERE state IN (\(SandboxSchema.list(CardState.allCases.filter { !$0.isRunnable && $0 != .erased })))
            AND changed_at BETWEEN (SELECT behind_since FROM sandbox WHERE behind_until <= :now) AND :last
        """

    static let comeForward = "UPDATE sandbox SET behind_since = NULL, behind_until = NULL WHERE behind_until <= ?"

    /// A process that stands still keeps its leases no longer than any configuration says.
    static let endLeases = [
        """
        UPDATE card INDEXED BY card_lease SET lease_expires_at = :limit
        WHERE lease_owner IS NOT NULL AND lease_expires_at > :limit
        """,
        """
        UPDATE delivery INDEXED BY delivery_lease SET lease_expires_at = :limit
        WHERE lease_owner IS NOT NULL AND lease_expires_at > :limit
        """,
    ]

    /// A verified card waits, too, when the backend has put it off.
    private static let waiting = SandboxSchema.list([CardState.fetching, .received, .prepared, .verified])
}
