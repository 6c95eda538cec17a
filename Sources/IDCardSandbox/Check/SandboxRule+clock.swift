import IDCardCore
import IDCardPipeline

extension SandboxRule {
    private static let now = "unixepoch() * 1000"

    /// The rules of times that only a wrong clock can have set.
    static let clocks: [SandboxRule] = [
        SandboxRule(
            .clockBehind,
            severity: .notice,
            "the sandbox saw a later time than this: the clock was ahead then, or is behind now; check the clock, the next "
                + "run corrects what was put off by it",
            sql: """
                SELECT NULL FROM sandbox WHERE max(last_seen_at, COALESCE(doubted_until, 0))
                    > \(now) + \(SeenTime.smallestStep.wholeMilliseconds)
                """
        ),
        SandboxRule(
            .dueImpossible,
            severity: .notice,
            isRepairable: true,
            "it is due later than any wait is long: the clock was ahead when it was put off; the next run or a repair makes "
                + "it due at once",
            sql: """
                SELECT id FROM card
                WHERE state IN ('fetching', 'received', 'prepared', 'verified') AND \(isTooLate("due_at"))
                UNION ALL SELECT id FROM delivery WHERE state = 'open' AND \(isTooLate("due_at"))
                """
        ),
        SandboxRule(
            .leaseImpossible,
            severity: .notice,
            isRepairable: true,
            "its lease lasts longer than any is given for: the clock was ahead then; the next run or a repair shortens it",
            sql: """
                SELECT id FROM card WHERE \(isTooLate("lease_expires_at"))
                UNION ALL SELECT id FROM delivery WHERE \(isTooLate("lease_expires_at"))
                """
        ),
    ]

    private static func isTooLate(_ column: String) -> String {
        "\(column) > \(now) + \(SeenTime.longestWait.wholeMilliseconds)"
    }
}
