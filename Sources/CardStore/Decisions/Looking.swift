import CardModel

// A page takes some decisions only from a person who has looked at the photo.
extension SandboxDecisions {
    /// Whether a person has revealed a card: as it is now, or ever.
    struct Looks {
        var now = false
        var ever = false
    }

    func looks(of subject: String, at row: CardRow, in tx: Transaction) throws -> Looks {
        // By event: after a step of the clock, times would say something else.
        let own: SQL = .unindexed("subject = \(subject) AND action = \(AccessAction.reveal)")
        let reveals = try tx.values(
            "SELECT event FROM access_log WHERE card = \(row.id) AND \(own) AND event IS NOT NULL",
            as: Int64.self
        )
        return Looks(now: reveals.contains(try row.lastEvent(in: tx)), ever: !reveals.isEmpty)
    }

    /// Checks that a person has looked at a card before a decision that needs it.
    ///
    /// - Parameter isAsked: whether a decision without a look is refused; else its line in the access log says `unseen`.
    /// - Returns: what the line says beside the decision.
    /// - Throws: `card_conflict`.
    func requireLook(
        _ isAsked: Bool,
        at row: CardRow,
        for action: DecisionAction,
        by subject: String,
        in tx: Transaction
    ) throws -> String {
        guard action.needsLook(about: row.bare) else { return "" }
        let looks = try self.looks(of: subject, at: row, in: tx)
        if looks.now || looks.ever && action.acceptsEarlierLook { return "" }
        guard !isAsked else { throw CodedError(.cardConflict, .conflict, .decisionUnseen(row.id)) }
        return " unseen"
    }
}
