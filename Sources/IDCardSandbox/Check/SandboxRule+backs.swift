import IDCardCore

extension SandboxRule {
    /// Why a back is held until a front is delivered, as SQL text.
    private static let reasonsReleasedByFront = SandboxSchema.list(
        ReasonCode.releasedByFront.sorted { $0.rawValue < $1.rawValue }
    )

    /// The rules between fronts and backs, as far as histories tell of them.
    static let backs: [SandboxRule] = [
        SandboxRule(
            .backAstray,
            "the back was sent while fronts of its business number named different persons; ask the backend to check "
                + "whose it is",
            // What a person has sent again is that person's decision.
            sql: """
                SELECT DISTINCT back.id FROM event AS conflict
                    JOIN card AS front ON front.id = conflict.card AND front.state <> 'erased'
                    JOIN card AS back ON back.business_no = front.business_no AND back.side = 'back'
                    JOIN event AS sent ON sent.card = back.id AND sent.kind = 'delivering' AND sent.id > conflict.id
                WHERE conflict.state = 'held' AND conflict.code = '\(ReasonCode.holderConflict.rawValue)'
                    AND NOT EXISTS (
                        SELECT 1 FROM event AS decision WHERE decision.card = front.id AND decision.state IS NOT NULL
                            AND decision.id > conflict.id AND decision.id < sent.id
                    )
                """
        ),
        SandboxRule(
            .backAstray,
            severity: .notice,
            "the back waited for its front, a card was erased undelivered, and the back was sent without a front; ask the "
                + "backend to check whose it is",
            // Erased cards do not name their business number: that the one is the back's front only a person can know.
            sql: """
                SELECT DISTINCT back.id FROM event AS blocked
                    JOIN card AS back ON back.id = blocked.card AND back.side = 'back' AND back.state = 'delivered'
                    JOIN event AS sent ON sent.card = back.id AND sent.kind = 'delivering' AND sent.id > blocked.id
                WHERE blocked.kind = 'waiting' AND blocked.code = '\(ReasonCode.blockedByFront.rawValue)'
                    AND NOT EXISTS (
                        SELECT 1 FROM event AS decision WHERE decision.card = back.id
                            AND decision.id > blocked.id AND decision.id < sent.id
                            AND decision.kind IN ('resolved', 'retried', 'released', 'metadata')
                    )
                    AND NOT EXISTS (
                        SELECT 1 FROM card AS front JOIN event AS accepted ON accepted.card = front.id
                        WHERE front.business_no = back.business_no AND front.side = 'front'
                            AND accepted.state = 'delivered' AND accepted.id < sent.id
                    )
                    AND EXISTS (
                        SELECT 1 FROM event AS erased WHERE erased.id > blocked.id AND erased.id < sent.id
                            AND erased.state = 'erased' AND NOT EXISTS (
                                SELECT 1 FROM event AS accepted
                                WHERE accepted.card = erased.card AND accepted.state = 'delivered'
                            )
                    )
                    AND NOT EXISTS (
                        SELECT 1 FROM event AS accepted JOIN card AS gone ON gone.id = accepted.card
                        WHERE accepted.id > blocked.id AND accepted.id < sent.id
                            AND accepted.state = 'delivered' AND gone.state = 'erased'
                    )
                """
        ),
        SandboxRule(
            .backLeftHeld,
            "the card is held because its front is missing, but a front of its business number was delivered; `cards resolve` it",
            sql: """
                SELECT id FROM card AS back WHERE state = 'held' AND reason IN (\(reasonsReleasedByFront)) AND EXISTS (
                    SELECT 1 FROM card AS front WHERE front.business_no = back.business_no AND front.state = 'delivered'
                        AND COALESCE(front.side, front.expected_side) = 'front'
                )
                """
        ),
    ]
}
