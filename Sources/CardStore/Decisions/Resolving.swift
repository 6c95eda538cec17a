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
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> DecisionOutcome {
        if let action = DecisionAction(resolution) { return try await self.decide(id, action, by: origin, now: now) }
        return try await self.write(at: now) { tx in
            var origin = origin
            let row = try self.row(id, for: .resolve, by: &origin, in: tx)
            if resolution == .withdraw {
                try self.withdraw(row, by: origin, in: tx)
            } else {
                try self.markSeen(row, by: origin, in: tx)
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
        tx.changed.insert(row.number)
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

    /// The transition of a retried card: `rejected` if the current lists say that it was refused, else `verified`. Of several
    /// members that were refused as a whole, each goes alone.
    private func retryUnlisted(
        _ row: CardRow,
        _ kept: (answer: KeptAnswer, meaning: RetcodeTable.Meaning),
        in tx: Transaction
    ) throws -> Transition {
        let isLone = try row.delivery.map { try self.sandbox.deliveries.members(of: $0, in: tx).count == 1 } ?? true
        guard kept.meaning == .refusal, isLone || !kept.answer.isOfWhole else { return Transition(.verified) }
        let message = Message.deliveryRefusedByList(row.remoteCode ?? "", kept.meaning.key)
        var rejected = Transition(.rejected, .refusedByRemote, message)
        rejected.remoteCode = row.remoteCode
        return rejected
    }

    /// Carries out a decision that the rules allow.
    ///
    /// - Parameter said: the person's message, sealed.
    func carryOut(
        _ action: DecisionAction,
        of row: CardRow,
        saying said: Data?,
        by origin: AccessOrigin,
        in tx: Transaction
    ) throws -> [CardChange] {
        try AccessLog.append(action.access, of: [row.id], by: origin, vault: self.vault, in: tx)
        var others: [CardID] = []
        func leave() throws -> CardRow {
            others = try self.leaveDelivery(row, in: tx)
            // Closing its delivery may have moved it.
            return try CardRow.require(row.id, in: tx)
        }
        switch action {
        case .retry where row.reason == .retcodeUnlisted:
            guard let kept = try self.sandbox.deliveries.keptAnswer(of: row, in: tx) else { break }
            let transition = try self.retryUnlisted(row, kept, in: tx)
            let isSplit = row.isSplit || kept.meaning == .refusal
            try self.records.move(leave(), transition, also: ", split = \(isSplit), \(Transition.fresh)", in: tx)
        case .retry: return [try self.retry(row, in: tx)]
        case .resend: others = try self.resend(row, in: tx)
        case .reject where row.state == .rejected: others = try self.forgetHolder(of: row, in: tx)
        case .reject:
            let text: Redacted<String>? = said.flatMap { said in
                try? row.key(self.vault).open(json: said, column: .decisionMessage)
            }
            let rejected = Transition(.rejected, .rejectedByOperator, text.map { .decisionRejected($0) })
            try self.records.move(leave(), rejected, in: tx)
            others += try self.forgetHolder(of: row, in: tx)
        case .delivered:
            try self.records.move(leave(), Transition(.delivered), in: tx)
            try self.markDelivered(row, in: tx)
        case .accept where row.reason == .submitterConflict:
            try self.records.move(leave(), Transition(self.records.start(of: row.id, in: tx) ?? .prepared), in: tx)
        case .accept:
            // The first acceptance decides whose card it is; a second one, or one about a missing front, lets a back go alone.
            let isLone = row.isAccepted || row.state == .verified || row.goesWithoutFront
            // Cards of different user accounts that are both right go one by one.
            let isSplit = row.isSplit || row.reason == .memberMismatch
            let also: SQL = ", accepted = 1, without_front = \(isLone), split = \(isSplit), failures = 0, due_at = NULL"
            try self.records.move(leave(), Transition(.verified), also: also, in: tx)
        // Cards are erased by `Erasure`, with a certificate.
        case .erase: break
        }
        return try ([row.id] + others).map { CardChange(try CardRow.require($0, in: tx)) }
    }

    private func retry(_ row: CardRow, in tx: Transaction) throws -> CardChange {
        // The changes of the other members are in their own histories.
        if row.state == .delivering { _ = try self.leaveDelivery(row, in: tx) }
        // The legality check may be licensed by now, and the stored reading without it would hold the card again.
        if row.reason == VerdictRule.legalityUnavailable.reason {
            try tx.run("DELETE FROM reading WHERE card = \(row.id)")
        }
        let isVerified = row.state == .verified || row.state == .delivering
        let target = isVerified ? .verified : try self.records.start(of: row.id, in: tx) ?? .prepared
        // A person says that this one is the newest of its side, whatever its time.
        let isChosen = row.reason == .takenEarlier
        let order = isChosen ? try self.sandbox.intake.nextOrder(in: tx) : row.order
        let also: SQL = ", intake_order = \(order), taken = \(isChosen ? nil : row.taken), \(Transition.fresh)"
        return try self.records.move(row, Transition(target), also: also, in: tx)
    }

    /// Sends the kept delivery of a card again, byte for byte, with all its members that are still held.
    private func resend(_ row: CardRow, in tx: Transaction) throws -> [CardID] {
        guard let delivery = row.delivery else { return [] }
        let members = try self.sandbox.deliveries.members(of: delivery, in: tx).map { try CardRow.require($0, in: tx) }
            .filter { $0.state == .held && $0.delivery == delivery }
        for member in members {
            if member.id != row.id { try self.require(.resend, of: member, in: tx) }
            try self.records.move(member, Transition(.delivering), also: ", \(Transition.fresh)", in: tx)
        }
        try tx.one(
            """
            UPDATE delivery SET state = \(delivery: .open), unreadable = 0, \(Transition.fresh), changed_at = \(tx.now)
            WHERE id = \(delivery) AND state = \(delivery: .kept)
            """
        )
        return members.map(\.id).filter { $0 != row.id }
    }

    /// Marks a delivery that is being sent, or was when its process died, as one that may have been applied.
    func markSending(_ row: CardRow, in tx: Transaction) throws {
        try tx.run(
            """
            UPDATE delivery SET may_be_applied = 1 WHERE id = \(row.delivery) AND state IN \(deliveries: .open, .kept)
            AND EXISTS (SELECT 1 FROM attempt WHERE subject = delivery.id AND ended_at IS NULL)
            """
        )
    }

    /// Removes a card from its delivery, which closes the delivery: the others are `outcome_unknown`, or `verified` if it surely
    /// was not applied.
    func leaveDelivery(_ row: CardRow, in tx: Transaction) throws -> [CardID] {
        guard let delivery = row.delivery else { return [] }
        guard try tx.exists("SELECT 1 FROM delivery WHERE id = \(delivery) AND state IN \(deliveries: .open, .kept)")
        else {
            try tx.run("UPDATE delivery_card SET outcome_unknown = 0 WHERE delivery = \(delivery) AND card = \(row.id)")
            return []
        }
        return try DeliveryRecord(delivery, store: self.sandbox, in: tx).close(leaving: row.id)
    }

    /// Stores with the case that a card of it was delivered: the order outlives the card.
    func markDelivered(_ row: CardRow, in tx: Transaction) throws {
        guard let side = row.anySide else { return }
        if try self.records.delivered(side, of: row.number, in: tx).map(row.age.isNewer) ?? true {
            let name: SQL = side == .front ? "front" : "back"
            let set: SQL = "\(name)_delivered = \(row.order), \(name)_taken = \(row.taken)"
            try tx.run("UPDATE cases SET \(set) WHERE number = \(row.number)")
        }
        // Cards that waited for it no longer do, and must not expire as if they did before they are decided again.
        let waiting: SQL = "number = \(row.number) AND state = \(literal: .verified) AND reason IS NOT NULL"
        try self.records.forgetReasons(waiting, in: tx)
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
        if let kept = try self.sandbox.deliveries.keptAnswer(of: row, in: tx), kept.meaning != .unlisted {
            circumstances.insert(.isListedNow)
        }
        return circumstances
    }
}
