import IDCardCore

extension SandboxRule {
    /// The rules of what attempts tell of an endpoint; only a person can know whether they were right.
    static let calls: [SandboxRule] = [
        SandboxRule(
            .deliveryStuck,
            severity: .notice,
            "the backend stopped at this delivery again and again, while others were not tried; the next run tries others "
                + "first, or `cards resolve` its card",
            sql: """
                SELECT id FROM delivery WHERE state = 'open'
                    AND (SELECT count(*) FROM attempt WHERE attempt.delivery = delivery.id AND class = 'stop') >= 3
                    AND EXISTS (
                        SELECT 1 FROM delivery AS other WHERE other.state = 'open' AND other.id <> delivery.id
                            AND NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.delivery = other.id)
                    )
                """
        ),
        SandboxRule(
            .refusedInARow,
            severity: .notice,
            "cards of several business numbers were refused with this code, and none was taken since; if it was about the "
                + "TOKEN, give the right one and `cards retry --reason` the code",
            sql: """
                SELECT card.reason FROM card JOIN attempt ON attempt.delivery = card.delivery
                    AND attempt.class = 'rejected' AND attempt.code = card.reason
                WHERE card.state = 'rejected' AND attempt.started_at > COALESCE(
                    (SELECT max(started_at) FROM attempt WHERE delivery IS NOT NULL AND class = 'accepted'), 0
                )
                GROUP BY card.reason HAVING count(DISTINCT card.business_no) >= 3
                """
        ),
        SandboxRule(
            .failedInOutage,
            severity: .notice,
            "the card failed while the verifier took no other, so that the verifier was at fault; `cards retry` it",
            sql: """
                SELECT own.card FROM (
                    SELECT card, min(started_at) AS first, max(started_at) AS last FROM attempt
                    WHERE card IN (
                        SELECT id FROM card
                        WHERE state = 'failed' AND reason = '\(ReasonCode.attemptsExhausted.rawValue)'
                    )
                    GROUP BY card
                ) AS own
                WHERE NOT EXISTS (
                    SELECT 1 FROM attempt AS other WHERE other.card <> own.card
                        AND other.class IN ('accepted', 'rejected') AND other.started_at BETWEEN own.first AND own.last
                )
                """
        ),
    ]
}
