package import CardModel
import Foundation

// A person decides about a card: by command, over HTTP, or on a page, where it can be taken back for ten seconds.
extension CardStore {
    /// Carries out what a person decided, unless it can be taken back first or waits for a second person: then it is written
    /// down. Of a decision that a second person confirms, the first one's words stand.
    ///
    /// - Parameters:
    ///   - seen: the last event of the card that the person saw; `nil` takes the card as it is.
    ///   - message: why, if the card is rejected.
    ///   - worker: the process on whose page it can be taken back; `nil` if it is carried out at once.
    /// - Returns: where the card stands, and the other members of a delivery that this closes or sends again.
    /// - Throws: `card_moved` if something happened since; `card_conflict` if the rules, or another person's decision or claim,
    ///   stand against it; `not_found`, `scope_missing`, `purpose_personal`.
    @discardableResult
    package func decide(
        _ card: CardID,
        _ wanted: DecisionAction,
        seen: Int64? = nil,
        message: Redacted<String>? = nil,
        undoableIn worker: String? = nil,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> DecisionOutcome {
        try await self.write(at: now) { tx in
            guard wanted != .erase else { throw CodedError(.cardConflict, .conflict, .decisionErase(card)) }
            var origin = origin
            let row = try self.row(card, for: wanted.access, by: &origin, in: tx)
            if let seen, try self.lastEvent(of: card, in: tx) != seen, wanted != .reject || row.delivery != nil {
                throw try self.moved(row, since: seen, in: tx)
            }
            let (action, person) = try self.meant(wanted, of: row, by: origin, in: tx)
            // Whoever is the second person takes nothing from another's page.
            let pending = try self.decision(about: card, in: tx)
            if worker != nil, pending?.waitsForSecond != true || pending?.action != action {
                try self.requireUnclaimed(row, by: origin.decider, in: tx)
            }
            try self.require(action, of: row, in: tx)
            // A card whose key does not open is rejected without words.
            let said = try message.flatMap { text in
                try (try? row.key(self.vault))?.seal(json: text, column: .decisionMessage)
            }
            switch try self.weigh(action, of: row, saying: said, undoableIn: worker, by: person, in: tx) {
            case .stays(let outcome): return outcome
            case .goes(let origin, let said):
                return .done(try self.carryOut(action, of: row, saying: said, by: origin, in: tx))
            }
        }
    }

    /// What is to be done with a decision.
    enum Weighed {
        /// It is carried out now, with these names in the access log and these words.
        case goes(AccessOrigin, said: Data?)
        /// It is written down.
        case stays(DecisionOutcome)
    }

    /// Says what becomes of a decision that the rules allow, and writes it down where it stays.
    ///
    /// - Throws: `card_conflict` if another person decided something else.
    func weigh(
        _ action: DecisionAction,
        of row: CardRow,
        saying said: Data? = nil,
        undoableIn worker: String? = nil,
        by origin: AccessOrigin,
        in tx: Transaction
    ) throws -> Weighed {
        let pending = try self.decision(about: row.id, in: tx)
        // One that has lapsed is told to its person, whatever comes now.
        if pending == nil { try self.dropLapsed("decision.card = \(row.id)", in: tx) }
        guard let subject = origin.caller?.subject else { return .goes(origin, said: said) }
        let needsSecond = try self.needsSecond(action, of: row, in: tx)
        var decision: Decision
        switch FourEyes.verdict(pending?.pending, action, by: subject, needsSecond: needsSecond) {
        case .taken(let other): throw Self.isTaken(pending?.action ?? action, by: other, row.id)
        case .stands: return .stays(pending?.outcome ?? .waitsForSecond)
        case .goes(let first?):
            guard let pending else { return .goes(origin, said: said) }
            guard worker != nil else {
                try pending.remove(in: tx)
                return .goes(origin.confirming(first), said: pending.sealedMessage)
            }
            decision = pending.confirmed(by: origin)
        case .goes where worker == nil:
            try pending?.remove(in: tx)
            return .goes(origin, said: said)
        case .goes, .waits:
            decision = Decision(
                action,
                of: row,
                seen: try self.lastEvent(of: row.id, in: tx),
                by: origin,
                saying: said,
                needsSecond: needsSecond,
                at: tx.now
            )
        }
        if let worker { decision = decision.undoable(in: worker, at: tx.now) }
        try AccessLog.append(.decide, of: [row.id], by: origin, vault: self.vault, in: tx)
        try decision.write(in: tx)
        return .stays(decision.outcome)
    }

    /// Whether the sandbox asks two persons for this. Doing a card again that a rule holds passes by the rule as accepting it
    /// does.
    func needsSecond(_ action: DecisionAction, of row: CardRow, in tx: Transaction) throws -> Bool {
        let isHeldByRule = row.state == .held && VerdictRule.allCases.contains { $0.reason == row.reason }
        let actions = action == .retry && isHeldByRule ? [action, .accept] : [action]
        return try tx.exists("SELECT 1 FROM four_eyes WHERE action IN \(list: actions)")
    }

    static func isTaken(_ action: DecisionAction, by other: String, _ card: CardID) -> CodedError {
        CodedError(.cardConflict, .conflict, .decisionOfOther(card, other, action))
    }

    /// What happened to a card since a person saw it, and by whom.
    func moved(_ row: CardRow, since seen: Int64, in tx: Transaction) throws -> CodedError {
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

    // MARK: Taking back

    /// Takes a decision of a page back that is not carried out yet; a tab of the person has the case again.
    ///
    /// - Returns: whether there was one.
    package func undo(_ card: CardID, tab: String, by origin: AccessOrigin, now: Timestamp) async throws -> Bool {
        try await self.write(at: now) { tx in
            let undoable: SQL = "WHERE decision.card = \(card) AND \(Decision.isUndoable)"
            guard let decision = try Decision.all(undoable, in: tx).first, decision.decider == origin.decider else {
                return false
            }
            try self.takeBack(decision, by: origin, in: tx)
            if decision.second == nil, !tab.isEmpty {
                try self.claim(decision.number, tab: tab, by: origin.decider, in: tx)
            }
            return true
        }
    }

    /// Takes back what a person decided and is not carried out yet.
    ///
    /// - Throws: `card_conflict` if there is nothing of this person.
    func withdraw(_ row: CardRow, by origin: AccessOrigin, in tx: Transaction) throws {
        // Whose token is gone cannot take it back: who may do everything can.
        let isAll = origin.caller?.scopes.contains(.operate) ?? true
        guard let decision = try self.decision(about: row.id, in: tx), isAll || decision.decider == origin.decider
        else {
            throw CodedError(.cardConflict, .conflict, .decisionNone(row.id))
        }
        guard decision.decider != origin.decider else { return try self.takeBack(decision, by: origin, in: tx) }
        try AccessLog.append(.decide, of: [row.id], by: origin, vault: self.vault, in: tx)
        try self.drop(decision, because: .decisionTakenBack(by: origin.decider), by: origin.decider, in: tx)
    }

    /// Lets the card go on, or has another person's decision wait again for a second one.
    private func takeBack(_ decision: Decision, by origin: AccessOrigin, in tx: Transaction) throws {
        try AccessLog.append(.decide, of: [decision.card], by: origin, vault: self.vault, in: tx)
        guard decision.second != nil else { return try decision.remove(in: tx) }
        var first = decision
        (first.second, first.secondPurpose, first.worker, first.until) = (nil, nil, nil, tx.now)
        try first.write(in: tx)
    }
}
