import CardModel
import Foundation

// A reviewer returns a photo, or ends a case.
extension SandboxDecisions {
    /// Rejects a card with a reason that a person gave. The words are for reviewers: its submitter reads the reason alone.
    func reject(_ row: CardRow, _ reason: ReasonCode, saying said: Data?, in tx: Transaction) throws {
        let text: Redacted<String>? = said.flatMap { said in
            try? row.key(self.vault).open(json: said, column: .decisionMessage)
        }
        var rejected = Transition(.rejected, reason, text.map { .decisionRejected($0) })
        rejected.isForReviewers = true
        try self.records.move(row, rejected, in: tx)
    }

    /// Returns a photo to its submitter; it no longer says whose the number is.
    ///
    /// - Returns: the cards that this releases.
    func giveBack(_ row: CardRow, _ reason: ReasonCode, saying said: Data?, in tx: Transaction) throws -> [CardID] {
        let others = try self.leaveDelivery(row, in: tx)
        try self.reject(CardRow.require(row.id, in: tx), reason, saying: said, in: tx)
        return try others + self.forgetHolder(of: row, in: tx)
    }

    /// Takes a return back: state, reason and message are those of the event before it, and a front names its holder again.
    func takeBackRetake(of row: CardRow, in tx: Transaction) throws {
        typealias Before = (state: CardState, reason: ReasonCode?, remoteCode: String?, sealed: Data?)
        let last = try tx.row(
            """
            SELECT state, reason, remote_code, message FROM event WHERE card = \(row.id) AND state <> \(literal: .rejected)
            AND was IS DISTINCT FROM state ORDER BY id DESC LIMIT 1
            """
        ) { event -> Before in (try event.next(), try event.next(), try event.next(), try event.next()) }
        guard let before = last else { throw CardRow.missing(row.id) }
        let message = before.sealed.flatMap {
            try? row.key(self.vault).open(json: $0, as: Message.self, column: .cardMessage)
        }
        var transition = Transition(before.state, before.reason, message)
        transition.remoteCode = before.remoteCode
        try self.records.move(row, transition, in: tx)
        guard row.hasKey, let reading = try self.records.storedReading(of: row, in: tx)?.reading else { return }
        let seen = reading.selecting(row.expectedSide)
        guard seen.side == .front, let holder = self.vault.holder(in: seen) else { return }
        try tx.run("UPDATE card SET holder = \(holder) WHERE id = \(row.id)")
        try self.sandbox.stages.setHolder(holder, of: row.number, in: tx)
    }

    /// Whether any newer photo of a card's side has come, in whatever state.
    func hasNewerPhoto(_ row: CardRow, in tx: Transaction) throws -> Bool {
        try self.records.isReplaced(row, by: CardState.allCases.filter { $0 != .erased }, in: tx)
    }

    // MARK: Ending a case

    /// Rejects a card for good; ends its case unless another photo of its side is there.
    ///
    /// - Returns: the other cards that this rejects or releases.
    func rejectForGood(
        _ row: CardRow,
        _ reason: ReasonCode,
        saying said: Data?,
        by person: String,
        in tx: Transaction
    ) throws -> [CardID] {
        let endsCase = try self.endsCase(row, in: tx)
        var others = try self.leaveDelivery(row, in: tx)
        // Closing its delivery may have moved it.
        try self.reject(CardRow.require(row.id, in: tx), reason, saying: said, in: tx)
        if endsCase { others += try self.endCase(of: row, by: person, in: tx) }
        return try others + self.forgetHolder(of: row, in: tx)
    }

    /// Whether a reviewer ended the case after the card came.
    func isEnded(_ row: CardRow, in tx: Transaction) throws -> Bool {
        try tx.exists("SELECT 1 FROM cases WHERE number = \(row.number) AND rejected_order >= \(row.order)")
    }

    /// What rejecting a card for good does now.
    func effectOfReject(_ row: CardRow, in tx: Transaction) throws -> RejectEffect {
        guard row.state != .rejected else { return .holder }
        return try self.endsCase(row, in: tx) ? .wholeCase : .card
    }

    /// Checks that a rejection does no more than its page showed.
    ///
    /// - Throws: `card_conflict`.
    func require(_ shown: RejectEffect, of row: CardRow, in tx: Transaction) throws {
        guard try self.effectOfReject(row, in: tx) > shown else { return }
        throw CodedError(.cardConflict, .conflict, .decisionWouldEndCase(row.id))
    }

    /// Whether rejecting a card ends its case: no other photo of its side is held, on its way or delivered. A card that no person
    /// has let in ends alone.
    private func endsCase(_ row: CardRow, in tx: Transaction) throws -> Bool {
        guard row.reason != .submitterConflict else { return false }
        let side = row.anySide
        if let side, try self.records.delivered(side, of: row.number, in: tx) != nil { return false }
        let others: SQL = """
            SELECT 1 FROM card WHERE number = \(row.number) AND id <> \(row.id) AND beside IS NULL AND NOT (\(CaseRow.isForeign))
            AND state IN \(literals: .fetching, .received, .prepared, .verified, .delivering, .held, .delivered)
            """
        guard let side else { return try !tx.exists(others) }
        return try !tx.exists("\(others) AND coalesce(side, expected_side, \(side)) = \(side)")
    }

    /// Ends a case: its cards that surely were not sent are rejected; others are left to the answer of the backend, and are
    /// rejected if they come back undelivered.
    ///
    /// - Returns: the other cards that were rejected.
    func endCase(of row: CardRow, by person: String, in tx: Transaction) throws -> [CardID] {
        let last: SQL = "SELECT max(intake_order) FROM card WHERE number = \(row.number)"
        try tx.run("UPDATE cases SET ended = 1, rejected_order = (\(last)) WHERE number = \(row.number)")
        let open = try CardRow.all(
            """
            WHERE card.number = \(row.number) AND card.id <> \(row.id) AND card.beside IS NULL AND NOT (\(CaseRow.isForeign))
            AND card.state IN \(literals: .fetching, .received, .prepared, .verified, .failed, .held)
            """,
            in: tx
        )
        let unsent = try open.filter { other in
            try !self.records.mayBeAtBackend(other.id, in: tx)
                && !(other.reason.map(ReasonCode.perhapsDelivered.contains) ?? false)
        }
        for other in unsent {
            try self.rejectBeside(other, by: person, in: tx)
        }
        // After all are rejected, so that no end of a dispute sends one of them.
        for other in unsent { _ = try self.forgetHolder(of: other, in: tx) }
        return unsent.map(\.id)
    }

    /// Rejects another card than the one that a person decided about; who decided about it is told.
    func rejectBeside(_ row: CardRow, by person: String, in tx: Transaction) throws {
        let decision = try Decision.all("WHERE decision.card = \(row.id) AND \(Decision.counts)", in: tx).first
        try self.reject(row, .rejectedByOperator, saying: nil, in: tx)
        guard let decision else { return }
        let why = Message.decisionMoved(row.id, .rejected, at: tx.now, by: person)
        try self.drop(decision, because: why, by: person, in: tx)
    }
}
