package import CardModel

// What a person decides on a page is written down first, can be undone for some seconds, and is then carried out by any process.
extension CardStore {
    /// Writes down what a person decided on a page; it is carried out after ten seconds.
    ///
    /// Of a decision that another person waits for, the first one's words stand.
    ///
    /// - Parameters:
    ///   - seen: the last event of the card that the page showed.
    ///   - message: why, if the card is rejected.
    /// - Throws: `card_moved` if something happened since; `card_conflict` if the rules, or another person's decision or claim,
    ///   stand against it; `not_found`, `scope_missing`, `purpose_personal`.
    package func decide(
        _ card: CardID,
        _ action: DecisionAction,
        seen: Int64,
        message: Redacted<String>? = nil,
        tab: String,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> DecisionOutcome {
        try await self.write(at: now) { tx in
            let row = try self.row(card, for: .decide, by: origin, in: tx)
            guard try self.lastEvent(of: card, in: tx) == seen else { throw try self.moved(row, since: seen, in: tx) }
            guard action != .erase else { throw CodedError(.cardConflict, .conflict, .decisionErase(card)) }
            let (action, origin) = try self.meant(action, of: row, by: origin, in: tx)
            try self.require(action, of: row, in: tx)
            let until = now.advanced(by: Limits.undoTime)
            var decision = PendingDecision(of: row, seen: seen, action, by: origin, tab: tab, until: until)
            if action == .reject, let message {
                // A card whose key does not open is rejected without words.
                decision.sealedMessage = try (try? row.key(self.vault))?
                    .seal(json: message, column: PendingDecision.messageColumn)
            }
            let pending = try self.pending(card, in: tx)
            if let pending, pending.subject != decision.subject || pending.proposer != nil && pending.seen == seen {
                guard pending.action == action, pending.waitsForSecond || pending.subject == decision.subject else {
                    throw Self.isTaken(pending)
                }
                (decision.proposer, decision.sealedMessage) = (pending.first, pending.sealedMessage)
            } else if let pending, pending.waitsForSecond {
                // An undo could not bring back what waits.
                guard pending.action == action else { throw Self.isTaken(pending) }
                return .waitsForSecond
            }
            try AccessLog.append(.decide, of: [card], by: origin, vault: self.vault, in: tx)
            try decision.write(in: tx)
            return .undoable(until: until)
        }
    }

    /// What a person has decided on pages and can still take back, the last first: also what was decided before a restart.
    package func undoable(by caller: Caller, now: Timestamp) async throws -> [PendingDecision] {
        let own: SQL = "WHERE decision.subject = \(caller.subject) AND \(PendingDecision.canBeUndone(at: now))"
        return try await self.read { tx in try PendingDecision.all("\(own) ORDER BY decision.until DESC", in: tx) }
    }

    /// Takes a decision back while its time is not over; a tab of the person has the card again, or another person's decision waits
    /// again for a second person.
    ///
    /// - Returns: whether there was one that can be taken back.
    package func undo(_ card: CardID, tab: String, by origin: AccessOrigin, now: Timestamp) async throws -> Bool {
        try await self.write(at: now) { tx in
            let own: SQL = "WHERE decision.subject = \(origin.decider) AND decision.card = \(card)"
            let undoable: SQL = "\(own) AND \(PendingDecision.canBeUndone(at: now))"
            guard var decision = try PendingDecision.all(undoable, in: tx).first else { return false }
            try AccessLog.append(.decide, of: [decision.card], by: origin, vault: self.vault, in: tx)
            if let first = decision.proposer {
                let purpose: SQL = """
                    SELECT purpose FROM access_log WHERE card = \(decision.card) AND subject || '' = \(first)
                    AND action || '' = \(AccessAction.decide) ORDER BY at DESC, number DESC LIMIT 1
                    """
                (decision.subject, decision.proposer, decision.tab) = (first, nil, "")
                (decision.purpose, decision.until) = (try tx.value(purpose) ?? "", now)
                decision.waitsForSecond = true
            } else {
                (decision.action, decision.sealedMessage, decision.purpose, decision.tab) = (nil, nil, "", tab)
                decision.until = now.advanced(by: Limits.claimTime)
            }
            try decision.write(in: tx)
            return true
        }
    }

    /// Carries out decisions whose time to undo is over. What the rules no longer allow, or was decided about a card that has moved
    /// since, is dropped with an event `decision_refused`; what needs a second person waits for one.
    ///
    /// - Returns: where cards stand that this moved.
    /// - Throws: what the sandbox throws, if nothing was carried out.
    package func carryOutDecisions(now: Timestamp) async throws -> [CardChange] {
        let due = try await self.read(at: now) { tx in
            let page: SQL = "ORDER BY decision.until LIMIT \(Limits.decisionsPerCall)"
            return try PendingDecision.all("WHERE \(PendingDecision.isDue(at: now)) \(page)", in: tx)
        }
        var changes: [CardChange] = []
        var failure: (any Error)?
        for decision in due {
            do {
                changes += try await self.write(at: now, locking: [decision.number]) { tx in
                    try self.carryOut(due: decision.card, in: tx)
                }
            } catch let error as CodedError where error.kind == .conflict {
                do {
                    try await self.write(at: now, locking: [decision.number]) { tx in
                        try self.refuse(due: decision, because: error.message, in: tx)
                    }
                } catch { failure = error }
            } catch { failure = error }
        }
        if let failure, changes.isEmpty { throw failure }
        return changes
    }

    /// Asks everything again: another process may have carried it out, the person taken it back, the card moved.
    private func carryOut(due card: CardID, in tx: Transaction) throws -> [CardChange] {
        let own: SQL = "WHERE decision.card = \(card) AND \(PendingDecision.isDue(at: tx.now))"
        guard let decision = try PendingDecision.all(own, in: tx).first, let decided = decision.action else {
            return []
        }
        let row = try CardRow.require(card, in: tx)
        guard try self.lastEvent(of: card, in: tx) == decision.seen else {
            throw try self.moved(row, since: decision.seen, in: tx)
        }
        // It was permitted when it was written down.
        let caller = Caller(subject: decision.subject, scopes: [.review])
        let person = AccessOrigin(caller: caller, "console:\(decision.subject) as \(decided)", decision.purpose)
        // The lists may be others by now.
        let (action, origin) = try self.meant(decided, of: row, by: person, in: tx)
        try self.require(action, of: row, in: tx)
        if decision.proposer == nil, self.fourEyes.contains(action) {
            try tx.run("UPDATE decision SET second = 1, action = \(action) WHERE card = \(card)")
            return []
        }
        try tx.run("DELETE FROM decision WHERE card = \(card)")
        return try self.carryOut(
            action,
            of: row,
            saying: decision.sealedMessage,
            by: decision.proposer.map(origin.confirming) ?? origin,
            in: tx
        )
    }

    private func refuse(due decision: PendingDecision, because why: Message, in tx: Transaction) throws {
        let own: SQL = "WHERE decision.card = \(decision.card) AND \(PendingDecision.isDue(at: tx.now))"
        guard let action = decision.action, try PendingDecision.all(own, in: tx) == [decision] else { return }
        try tx.run("DELETE FROM decision WHERE card = \(decision.card)")
        let row = try CardRow.require(decision.card, in: tx)
        let message = Message.decisionRefused(decision.subject, action, why)
        let sealed = try (try? row.key(self.vault))?.seal(json: message, column: CardRow.messageColumn)
        try self.note(Transition(row.state, .decisionRefused), of: row.id, sealed: sealed, in: tx)
    }

    /// What happened to a card since a person saw it, and by whom.
    private func moved(_ row: CardRow, since seen: Int64, in tx: Transaction) throws -> CodedError {
        let changing: [AccessAction] = [.verify, .deliver, .retry, .resolve, .erase]
        let actor: String? = try tx.value(
            """
            SELECT actor FROM access_log WHERE card = \(row.id) AND action IN \(list: changing)
            AND at > (SELECT at FROM event WHERE id = \(seen)) ORDER BY at DESC, number DESC LIMIT 1
            """
        )
        let at: Timestamp? = try tx.value("SELECT at FROM event WHERE card = \(row.id) ORDER BY id DESC LIMIT 1")
        let message = Message.decisionMoved(row.id, row.state, at: at ?? row.changedAt, by: actor ?? "-")
        return CodedError(.cardMoved, .conflict, message)
    }
}
