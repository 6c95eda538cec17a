package import CardModel
import Foundation

// Actions of a person on single cards: each change is one transaction with its line in the access log.
extension SandboxDecisions {
    /// Carries out a person's decision about a card, marks the card as seen, or withdraws the decision.
    ///
    /// - Returns: as ``decide(_:_:seen:message:undoableIn:by:now:)``.
    /// - Throws: `not_found`, or `card_conflict` with what to do instead.
    @discardableResult
    package func resolve(
        _ id: CardID,
        as resolution: Resolution,
        because reason: RetakeReason? = nil,
        saying words: Redacted<String>? = nil,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> DecisionOutcome {
        if let action = DecisionAction(resolution) {
            return try await self.decide(id, action, because: reason, message: words, by: origin, now: now)
        }
        return try await self.write(at: now) { tx in
            var origin = origin
            let row = try self.row(id, for: .resolve, by: &origin, in: tx)
            switch resolution {
            case .withdraw: try self.withdraw(row, by: origin, in: tx)
            case .disagree: try self.disagree(row, saying: words, by: origin, in: tx)
            default: try self.markSeen(row, by: origin, in: tx)
            }
            return .done([CardChange(row)])
        }
    }

    /// Marks a card, or the dropped decisions about it, as seen.
    private func markSeen(_ row: CardRow, by origin: AccessOrigin, in tx: Transaction) throws {
        let dropped: SQL = "SELECT 1 FROM decision WHERE decision.card = \(row.id) AND \(Decision.wasDropped)"
        if try !tx.exists(dropped) {
            try self.rules(for: row, in: tx).require(.seen)
        }
        try AccessLog.append(.resolve, of: [row.id], by: origin, vault: self.vault, in: tx)
        try Decision.forget(row.id, in: tx)
        try tx.run("UPDATE card SET seen = 1 WHERE id = \(row.id)")
        // A back no longer waits for a front that is not retaken.
        try Transition.markForDecision(row.number, in: tx)
    }

    /// The action that a retry means once the lists name the code of the stored answer: after a code of success it is
    /// `delivered`, which may need two persons; after "not now" it is `resend`, of the same bytes.
    ///
    /// - Returns: also the origin with the code and its list, for the access log.
    func effectiveAction(_ action: DecisionAction, of row: CardRow, by origin: AccessOrigin, in tx: Transaction) throws
        -> (action: DecisionAction, origin: AccessOrigin)
    {
        guard action == .retry, let kept = try self.sandbox.deliveries.keptAnswer(of: row, in: tx),
            kept.meaning != .unlisted
        else { return (action, origin) }
        let origin = origin.adding("RETCODE \(row.remoteCode ?? "") in \(kept.meaning.key)")
        let isKept = try tx.exists("SELECT 1 FROM delivery WHERE id = \(row.delivery) AND state = \(delivery: .kept)")
        switch kept.meaning {
        case .success, .alreadyExists: return (.delivered, origin)
        case .retryable where isKept: return (.resend, origin)
        case .retryable, .tokenExpired, .refusal, .unlisted: return (.retry, origin)
        }
    }

    func require(_ action: DecisionAction, of row: CardRow, in tx: Transaction) throws {
        try self.markSending(row, in: tx)
        try self.rules(for: row, in: tx).require(action)
    }

    /// Returns the actions that a caller may not do to a card, with the reason; others are allowed.
    ///
    /// - Parameter caller: `nil` for the process, which may do everything.
    func actions(for row: CardRow, by caller: Caller?, in tx: Transaction) throws -> [DecisionAction: CodedError] {
        let rules = try self.rules(for: row, in: tx)
        return DecisionAction.allCases.reduce(into: [:]) { refusals, action in
            let isAllowed = caller?.may(action.access, on: row.submitter) ?? true
            do throws(CodedError) {
                guard isAllowed else { throw Self.scopeMissing(action.access) }
                try rules.require(action)
            } catch { refusals[action] = error }
        }
    }

    /// The rules for a card: each failure counts; a damaged card has no personal values.
    private func rules(for row: CardRow, in tx: Transaction) throws -> OperatorRules {
        var card = row.shown(self.vault)
        if row.history.failedAt != nil { card.failures = max(1, card.failures) }
        return OperatorRules(of: card, under: try self.circumstances(of: row, in: tx))
    }

    /// Whether a process at work has claimed the card or its delivery.
    func isUnderWay(_ row: CardRow, in tx: Transaction) throws -> Bool {
        let delivery: String? = try tx.value("SELECT worker FROM delivery WHERE id = \(row.delivery)")
        return [row.worker, delivery].contains { $0.map(self.sandbox.upkeep.isAtWork) ?? false }
    }

    private func circumstances(of row: CardRow, in tx: Transaction) throws -> OperatorRules.Circumstances {
        let delivery: DeliveryState? = try tx.value("SELECT state FROM delivery WHERE id = \(row.delivery)")
        var circumstances: OperatorRules.Circumstances = []
        if try self.records.isReplaced(row, in: tx) { circumstances.insert(.isReplaced) }
        if try self.records.isReplaced(row, by: [.delivering], in: tx) { circumstances.insert(.isOvertaken) }
        if try self.records.start(of: row.id, in: tx) != nil { circumstances.insert(.hasImage) }
        if try self.records.hasReading(row.id, in: tx) { circumstances.insert(.wasRead) }
        if try self.records.mayBeAtBackend(row.id, in: tx) { circumstances.insert(.mayBeAtBackend) }
        if try self.isUnderWay(row, in: tx) { circumstances.insert(.isUnderWay) }
        if delivery == .kept { circumstances.insert(.hasKeptDelivery) }
        if try self.isInDispute(row, in: tx) { circumstances.insert(.namesOnePerson) }
        if row.state == .rejected, try self.hasNewerPhoto(row, in: tx) { circumstances.insert(.hasNewerPhoto) }
        if try self.isEnded(row, in: tx) { circumstances.insert(.isCaseEnded) }
        if let kept = try self.sandbox.deliveries.keptAnswer(of: row, in: tx), kept.meaning != .unlisted {
            circumstances.insert(.isListedNow)
        }
        return circumstances
    }
}
