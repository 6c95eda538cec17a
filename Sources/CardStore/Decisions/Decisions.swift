package import CardModel
import Foundation

// A person decides about a card: by command, over HTTP, or on a page, where the decision can be undone for ten seconds.
extension SandboxDecisions {
    /// Carries out a person's decision, or stores it if it can be undone first or waits for a second person. A decision that a
    /// second person confirms has the message of the first.
    ///
    /// - Parameters:
    ///   - reason: why the photo is returned; a second person who agrees may leave it out.
    ///   - seen: the last event of the card that the person saw; `nil` accepts the card as it is.
    ///   - message: the person's words.
    ///   - effect: what a rejection does, as its page showed it; `nil` for any.
    ///   - worker: the process on whose page it can be undone; `nil` if it is carried out at once.
    ///   - mayLook: whether the person may reveal the card now: then a page asks for a look before.
    /// - Returns: the state of the card, and of the other members of a delivery that this closes or sends again.
    /// - Throws: `card_moved` if something happened since; `card_conflict` if the rules, or another person's decision or claim,
    ///   forbid it; `not_found`, `scope_missing`, `purpose_personal`.
    @discardableResult
    package func decide(
        _ card: CardID,
        _ wanted: DecisionAction,
        because reason: RetakeReason? = nil,
        seen: Int64? = nil,
        message: Redacted<String>? = nil,
        effect: RejectEffect? = nil,
        undoableIn worker: String? = nil,
        mayLook: Bool = false,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> DecisionOutcome {
        try await self.write(at: now) { tx in
            guard wanted != .erase else { throw CodedError(.cardConflict, .conflict, .decisionErase(card)) }
            var origin = origin
            let row = try self.row(card, for: wanted.access, by: &origin, in: tx)
            if let seen, try row.lastEvent(in: tx) != seen, wanted != .reject || row.delivery != nil {
                throw try self.moved(row, since: seen, in: tx)
            }
            let (action, person) = try self.effectiveAction(wanted, of: row, by: origin, in: tx)
            // A second person may confirm a decision although another person has claimed the case.
            let pending = try Decision.about(card, in: tx)
            let reason = try Self.reason(reason, for: action, of: row, after: pending)
            if reason == .other, message == nil, pending?.reason != .other { throw Self.wordsMissing }
            if worker != nil, pending?.waitsForSecond != true || pending?.action != action {
                try self.requireUnclaimed(row, by: origin.decider, in: tx)
            }
            try self.require(action, of: row, in: tx)
            if action == .reject, let effect { try self.require(effect, of: row, in: tx) }
            let isAsked = worker != nil && mayLook
            let unseen = try self.requireLook(isAsked, at: row, for: action, by: origin.decider, in: tx)
            for other in action == .accept ? try self.otherSides(acceptedWith: row, by: origin.caller, in: tx) : [] {
                _ = try self.requireLook(isAsked, at: other, for: action, by: origin.decider, in: tx)
            }
            // A card whose key cannot be unwrapped is rejected without a message.
            let said = try message.flatMap { text in
                try (try? row.key(self.vault))?.seal(json: text, column: .decisionMessage)
            }
            let how = (action, reason)
            switch try self.weigh(how, of: row, saying: said, undoableIn: worker, by: person, unseen: unseen, in: tx) {
            case .stays(let outcome): return outcome
            case .goes(let origin, let said):
                let detail = "\(reason?.rawValue ?? action.rawValue)\(unseen)"
                return .done(try self.carryOut(how, of: row, saying: said, by: origin, detail: detail, in: tx))
            }
        }
    }

    /// The reason of a retake: a second person may leave it out.
    private static func reason(
        _ given: RetakeReason?,
        for action: DecisionAction,
        of row: CardRow,
        after pending: Decision?
    ) throws -> RetakeReason? {
        guard action == .retake else { return nil }
        // What is wrong with the number is no matter of the photo, and the other way round.
        let possible = row.reason == .businessNumberPersonal ? [.number] : RetakeReason.ofPhoto
        guard let reason = given ?? pending?.reason, possible.contains(reason) else {
            throw CodedError(.fieldInvalid, .usage, .decisionReasonMissing(possible))
        }
        return reason
    }

    private static var wordsMissing: CodedError { CodedError(.fieldInvalid, .usage, .decisionWordsMissing) }

    /// How a decision continues.
    enum Weighed {
        /// It is carried out now, with this origin in the access log and this message.
        case goes(AccessOrigin, said: Data?)
        /// It is stored.
        case stays(DecisionOutcome)
    }

    /// Returns how a decision that the rules allow continues, and stores it if it stays.
    ///
    /// - Parameter unseen: what the access log says if the person has not looked at the card.
    /// - Throws: `card_conflict` if another person decided something else.
    func weigh(
        _ wanted: (action: DecisionAction, reason: RetakeReason?),
        of row: CardRow,
        saying said: Data? = nil,
        undoableIn worker: String? = nil,
        by origin: AccessOrigin,
        unseen: String = "",
        in tx: Transaction
    ) throws -> Weighed {
        let action = wanted.action
        let pending = try self.pending(about: row, in: tx)
        guard let subject = origin.caller?.subject else { return .goes(origin, said: said) }
        let needsSecond = try self.needsSecond(action, of: row, in: tx)
        var decision: Decision
        switch FourEyes.verdict(pending?.pending, action, because: wanted.reason, by: subject, needsSecond: needsSecond)
        {
        case .taken(let other): throw Self.isTaken(pending?.action ?? action, by: other, row.id)
        case .stands: return .stays(pending?.outcome ?? .waitsForSecond)
        case .goes(let first?):
            guard let pending else { return .goes(origin, said: said) }
            if let effect = pending.effect { try self.require(effect, of: row, in: tx) }
            guard worker != nil else {
                try pending.remove(in: tx)
                return .goes(origin.confirming(first), said: pending.sealedMessage)
            }
            decision = pending.confirmed(by: origin)
        case .goes where worker == nil:
            try pending?.remove(in: tx)
            return .goes(origin, said: said)
        case .goes, .waits:
            decision = try Decision(wanted, of: row, by: origin, saying: said, needsSecond: needsSecond, in: tx)
            if action == .reject { decision.effect = try self.effectOfReject(row, in: tx) }
        }
        if let worker { decision.makeUndoable(in: worker, at: tx.now) }
        try decision.write(in: tx)
        let detail = decision.detail + unseen
        try AccessLog.append(.decide, of: [row.id], by: origin, detail: detail, vault: self.vault, in: tx)
        return .stays(decision.outcome)
    }

    /// The decision about a card that counts; a lapsed one is dropped, so that its person sees that.
    private func pending(about row: CardRow, in tx: Transaction) throws -> Decision? {
        let pending = try Decision.about(row.id, in: tx)
        if pending == nil { try self.dropLapsed("decision.card = \(row.id)", in: tx) }
        return pending
    }

    /// Whether the sandbox requires two persons for an action.
    func needsSecond(_ action: DecisionAction, of row: CardRow, in tx: Transaction) throws -> Bool {
        let actions = action.listed(
            isHeldByRule: row.state == .held && VerdictRule.allCases.contains { $0.reason == row.reason },
            isInDispute: try self.isInDispute(row, in: tx)
        )
        return try tx.exists("SELECT 1 FROM four_eyes WHERE action IN \(list: actions)")
    }

    static func isTaken(_ action: DecisionAction, by other: String, _ card: CardID) -> CodedError {
        CodedError(.cardConflict, .conflict, .decisionOfOther(card, other, action))
    }

    /// The error that says what happened to a card since a person saw it, and by whom.
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

    // MARK: Undoing

    /// Undoes a decision that was made on a page and is not carried out yet; the browser tab `tab` then has the case again.
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

    /// Withdraws a person's decision that is not carried out yet.
    ///
    /// - Throws: `card_conflict` if there is no decision that this caller may withdraw.
    func withdraw(_ row: CardRow, by origin: AccessOrigin, in tx: Transaction) throws {
        // The author's token may be gone, so a caller with `operate` may withdraw it, too.
        let isAll = origin.caller?.scopes.contains(.operate) ?? true
        guard let decision = try Decision.about(row.id, in: tx), isAll || decision.decider == origin.decider
        else { throw CodedError(.cardConflict, .conflict, .decisionNone(row.id)) }
        guard decision.decider != origin.decider else { return try self.takeBack(decision, by: origin, in: tx) }
        try AccessLog.append(.decide, of: [row.id], by: origin, detail: "withdraw", vault: self.vault, in: tx)
        try self.drop(decision, because: .decisionTakenBack(by: origin.decider), by: origin.decider, in: tx)
    }

    /// Ends another person's decision that waits for a second one; the card waits for a reviewer again.
    ///
    /// - Throws: `card_conflict` if there is none.
    func disagree(_ row: CardRow, saying text: Redacted<String>?, by origin: AccessOrigin, in tx: Transaction) throws {
        guard let decision = try Decision.about(row.id, in: tx), decision.waitsForSecond,
            decision.subject != origin.decider
        else { throw CodedError(.cardConflict, .conflict, .decisionNoneOfOther(row.id)) }
        guard let text else { throw Self.wordsMissing }
        try AccessLog.append(.decide, of: [row.id], by: origin, detail: "disagree", vault: self.vault, in: tx)
        try self.drop(decision, because: .decisionDisagreed(by: origin.decider, text), by: origin.decider, in: tx)
    }

    /// Releases the card, or lets another person's decision wait for a second one again.
    private func takeBack(_ decision: Decision, by origin: AccessOrigin, in tx: Transaction) throws {
        try AccessLog.append(.decide, of: [decision.card], by: origin, detail: "undo", vault: self.vault, in: tx)
        guard decision.second != nil else {
            try decision.remove(in: tx)
            try self.releaseDisputed(decision.number, in: tx)
            return
        }
        var first = decision
        (first.second, first.secondPurpose, first.worker, first.until) = (nil, nil, nil, tx.now)
        try first.write(in: tx)
    }
}
