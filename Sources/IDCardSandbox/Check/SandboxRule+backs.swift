import IDCardCore

extension SandboxRule {
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
        )
    ]
}
