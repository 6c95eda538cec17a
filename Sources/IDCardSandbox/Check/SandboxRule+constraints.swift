import IDCardCore
import IDCardPipeline

extension SandboxRule {
    /// What the tables themselves demand by CHECK; SQLite does not look at it on a connection that may only read.
    static let constraints: [SandboxRule] = [
        constraint(
            "card",
            """
            state NOT IN (\(SandboxSchema.list(CardState.allCases))) OR attempts < 0 OR is_shrunk NOT IN (0, 1)
            OR side NOT IN (\(SandboxSchema.list(CardSide.allCases)))
            OR expected_side NOT IN (\(SandboxSchema.list(CardSide.allCases)))
            OR (lease_owner IS NULL) <> (lease_expires_at IS NULL)
            """
        ),
        constraint(
            "delivery",
            """
            state NOT IN (\(SandboxSchema.list(DeliveryState.allCases))) OR attempts < 0
            OR (lease_owner IS NULL) <> (lease_expires_at IS NULL)
            """
        ),
        constraint(
            "attempt",
            subject: "COALESCE(card, delivery)",
            """
            ordinal < 1 OR class NOT IN (\(SandboxSchema.list(FailureClass.allCases)))
            OR (card IS NULL) = (delivery IS NULL) OR (ended_at IS NULL) <> (class IS NULL)
            OR (ended_at IS NULL) <> (code IS NULL)
            """
        ),
        constraint(
            "event",
            subject: "card",
            "state NOT IN (\(SandboxSchema.list(CardState.allCases)))"
        ),
        constraint("delivery_card", subject: "delivery", "position < 0"),
        constraint(
            "source_piece",
            subject: "card",
            "start < 0 OR byte_count NOT BETWEEN 1 AND \(SandboxSchema.largestPiece)"
        ),
        constraint("fetch", subject: "card", "byte_count < 0"),
        constraint(
            "fetch_attempt",
            subject: "card",
            "ordinal < 1 OR class NOT IN (\(SandboxSchema.list(FailureClass.allCases)))"
        ),
        constraint(
            "source_run",
            """
            state NOT IN (\(SandboxSchema.list(SourceRun.State.allCases)))
            OR (state = 'running') <> (ended_at IS NULL)
            """
        ),
    ]

    private static func constraint(_ table: String, subject: String = "id", _ condition: String) -> SandboxRule {
        SandboxRule(
            .valueImpossible,
            "a row of `\(table)` holds a value that cannot be; restore a backup",
            sql: "SELECT DISTINCT \(subject) FROM \(table) WHERE \(condition)"
        )
    }
}
