package import CardModel

/// Which cards or deliveries a stage may claim.
package enum ClaimScope: Hashable, Sendable {
    /// All cards or deliveries that are due.
    case all
    /// Due cards of numbers without an answer that could not be understood.
    case otherNumbers
    /// Cards or deliveries whose last answer could not be understood: a probe sends the same bytes again.
    case unreadable
}

/// Cards and deliveries whose last answer was complete but could not be understood (`unreadable = 1`). They are sent once more
/// when the endpoint has given another card a readable answer; before that, only as probes.
enum Unreadable {
    /// Selects attempts whose answer was understood.
    static let isUnderstood: SQL = "class IN \(failures: .accepted, .rejected, .shrink)"

    /// Selects the rows of a stage without an unreadable answer, or after which another card got a readable one.
    static func mayGo(_ stage: Stage, now: Timestamp) -> SQL {
        "(unreadable = 0 OR \(self.isPassed(stage, since: "failed_at", now: now)))"
    }

    /// Selects cards of numbers without an unreadable answer of the verifier.
    static let isOfAnotherNumber: SQL =
        "number NOT IN (SELECT number FROM card AS other WHERE other.unreadable = 1 AND other.state = \(literal: .prepared))"

    /// Selects cards whose last answer could not be understood, the oldest answer first; none while a process verifies such a card.
    static let longestAgoFirst: SQL = """
        unreadable = 1 AND state = \(literal: .prepared) AND NOT \(Decision.holdsCard) AND NOT EXISTS (
            SELECT 1 FROM card AS other WHERE other.unreadable = 1 AND other.state = \(literal: .prepared) AND other.worker IS NOT NULL
        ) ORDER BY failed_at
        """

    /// Selects whether the stage had a readable answer since a time. Answers in the future are ignored: a fast clock wrote their
    /// time. A `time` in the future is ignored for the same reason, so that any answer counts, unless it is so close that another
    /// process or a corrected clock explains it.
    private static func isPassed(_ stage: Stage, since time: SQL, now: Timestamp) -> SQL {
        """
        EXISTS (SELECT 1 FROM attempt WHERE stage = \(literal: stage) AND \(self.isUnderstood)
        AND ended_at BETWEEN CASE WHEN \(time) > \(now.advanced(by: Limits.smallStep)) THEN 0 ELSE \(time) END AND \(now))
        """
    }

    /// Whether the endpoint of a stage has given a card a readable answer since a time.
    static func isPassed(_ stage: Stage, since time: Timestamp?, in tx: Transaction) throws -> Bool {
        guard let time else { return false }
        return try tx.exists("SELECT 1 WHERE \(self.isPassed(stage, since: "\(time)", now: tx.now))")
    }

    /// Counts the numbers with an unreadable answer in a stage, after which no other card got a readable one.
    static func count(_ stage: Stage, in tx: Transaction) throws -> Int {
        let open: SQL = "unreadable = 1 AND NOT \(self.isPassed(stage, since: "failed_at", now: tx.now))"
        let numbers: SQL =
            stage == .verify
            ? "SELECT count(DISTINCT number) FROM card WHERE state = \(literal: .prepared) AND \(open)"
            // Deliveries with the same first number count once.
            : """
            SELECT count(DISTINCT first) FROM (
                SELECT (SELECT min(number) FROM delivery_card JOIN card ON card.id = delivery_card.card
                WHERE delivery_card.delivery = delivery.id) AS first FROM delivery WHERE state = \(delivery: .open) AND \(open)
            ) AS page
            """
        return try tx.value(numbers) ?? 0
    }
}

extension SandboxEndpoints {
    /// Returns how many business numbers have an unreadable answer in a stage, after which no other card got a readable one.
    package func unreadableNumbers(_ stage: Stage, now: Timestamp) async throws -> Int {
        try await self.read(at: now) { tx in try Unreadable.count(stage, in: tx) }
    }
}
