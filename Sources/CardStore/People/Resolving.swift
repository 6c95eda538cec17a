package import CardModel
import Foundation

// What a person does to single cards: each change is one transaction with its line in the access log.
extension CardStore {
    /// Carries out what a person decided about a card, marks it as seen, or takes the person's decision back.
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
                try self.see(row, by: origin, in: tx)
            }
            return .done([CardChange(row)])
        }
    }

    /// Marks a card, or what was dropped about it, as seen.
    private func see(_ row: CardRow, by origin: AccessOrigin, in tx: Transaction) throws {
        let dropped: SQL = "SELECT 1 FROM decision WHERE decision.card = \(row.id) AND \(Decision.wasDropped)"
        if try !tx.exists(dropped) {
            let circumstances = try self.circumstances(of: row, in: tx)
            try OperatorRules.requireResolution(of: self.judged(row), as: .seen, under: circumstances)
        }
        try AccessLog.append(.resolve, of: [row.id], by: origin, vault: self.vault, in: tx)
        try Decision.forget(row.id, in: tx)
        try tx.run("UPDATE card SET seen = 1 WHERE id = \(row.id)")
        tx.changed.insert(row.number)
    }

    /// What doing a card again comes to whose kept answer the lists name by now: a code of success says that the backend has it,
    /// and is asked of two persons as that; "not now" sends the same bytes again.
    ///
    /// - Returns: also the origin with the code and its list, for the access log.
    func meant(_ action: DecisionAction, of row: CardRow, by origin: AccessOrigin, in tx: Transaction) throws
        -> (action: DecisionAction, origin: AccessOrigin)
    {
        guard action == .retry, let kept = try self.keptAnswer(of: row, in: tx), kept.meaning != .unlisted else {
            return (action, origin)
        }
        let origin = origin.adding("RETCODE \(row.remoteCode ?? "") in \(kept.meaning.key)")
        let isKept = try tx.exists("SELECT 1 FROM delivery WHERE id = \(row.delivery) AND state = 'kept'")
        switch kept.meaning {
        case .success, .alreadyExists: return (.delivered, origin)
        case .retryable where isKept: return (.resend, origin)
        case .retryable, .tokenExpired, .refusal, .unlisted: return (.retry, origin)
        }
    }

    /// Ends a card that the lists of now say was refused, or lets it go again where nothing was applied. Of several members that
    /// were refused as a whole each goes alone.
    private func retryUnlisted(
        _ row: CardRow,
        _ kept: (answer: KeptAnswer, meaning: RetcodeTable.Meaning),
        in tx: Transaction
    ) throws -> Transition {
        let isLone = try row.delivery.map { try self.members(of: $0, in: tx).count == 1 } ?? true
        guard kept.meaning == .refusal, isLone || !kept.answer.isOfWhole else { return Transition(.verified) }
        let message = Message.deliveryRefusedByList(row.remoteCode ?? "", kept.meaning.key)
        var rejected = Transition(.rejected, .refusedByRemote, message)
        rejected.remoteCode = row.remoteCode
        return rejected
    }

    /// Does what was decided about a card and its rules allow.
    ///
    /// - Parameter said: what the person said about it, sealed.
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
            // What closed its delivery may have moved it.
            return try CardRow.require(row.id, in: tx)
        }
        switch action {
        case .retry where row.reason == .retcodeUnlisted:
            guard let kept = try self.keptAnswer(of: row, in: tx) else { break }
            let transition = try self.retryUnlisted(row, kept, in: tx)
            let isSplit = row.isSplit || kept.meaning == .refusal
            try self.move(leave(), transition, also: ", split = \(isSplit), \(Transition.fresh)", in: tx)
        case .retry:
            // What its delivery did to others, they say themselves.
            if row.state == .delivering { _ = try self.leaveDelivery(row, in: tx) }
            // What the verifier left out may be licensed by now: the stored reading would hold the card again.
            if row.reason == VerdictRule.legalityUnavailable.reason {
                try tx.run("DELETE FROM reading WHERE card = \(row.id)")
            }
            let isVerified = row.state == .verified || row.state == .delivering
            let target = isVerified ? .verified : try self.start(of: row.id, in: tx) ?? .prepared
            // A person says that this one is the newest of its side, whatever its time.
            let isChosen = row.reason == .takenEarlier
            let order = isChosen ? try self.takeOrder(in: tx) : row.order
            let also: SQL = ", intake_order = \(order), taken = \(isChosen ? nil : row.taken), \(Transition.fresh)"
            return [try self.move(row, Transition(target), also: also, in: tx)]
        case .resend: others = try self.resend(row, in: tx)
        case .reject where row.state == .rejected: others = try self.forgetHolder(of: row, in: tx)
        case .reject:
            let text: Redacted<String>? = said.flatMap { said in
                try? row.key(self.vault).open(json: said, column: .decisionMessage)
            }
            let rejected = Transition(.rejected, .rejectedByOperator, text.map { .decisionRejected($0) })
            try self.move(leave(), rejected, in: tx)
            others += try self.forgetHolder(of: row, in: tx)
        case .delivered:
            try self.move(leave(), Transition(.delivered), in: tx)
            try self.noteDelivered(row, in: tx)
        case .accept where row.reason == .submitterConflict:
            try self.move(leave(), Transition(self.start(of: row.id, in: tx) ?? .prepared), in: tx)
        case .accept:
            // The first word settles whose card it is; a second one, or one about a missing front, lets a back go alone.
            let isLone = row.isAccepted || row.state == .verified || row.goesWithoutFront
            // Cards of different user accounts that are right both go one by one.
            let isSplit = row.isSplit || row.reason == .memberMismatch
            let also: SQL =
                ", accepted = 1, without_front = \(isLone), split = \(isSplit), failures = 0, due_at = NULL"
            try self.move(leave(), Transition(.verified), also: also, in: tx)
        // Its own way, with a certificate.
        case .erase: break
        }
        return try ([row.id] + others).map { CardChange(try CardRow.require($0, in: tx)) }
    }

    /// Sends the kept delivery of a card again, byte for byte, with all its members that are still held.
    private func resend(_ row: CardRow, in tx: Transaction) throws -> [CardID] {
        guard let delivery = row.delivery else { return [] }
        let members = try self.members(of: delivery, in: tx).map { try CardRow.require($0, in: tx) }
            .filter { $0.state == .held && $0.delivery == delivery }
        for member in members {
            if member.id != row.id { try self.require(.resend, of: member, in: tx) }
            try self.move(member, Transition(.delivering), also: ", \(Transition.fresh)", in: tx)
        }
        try tx.one(
            """
            UPDATE delivery SET state = 'open', unreadable = 0, \(Transition.fresh), changed_at = \(tx.now)
            WHERE id = \(delivery) AND state = 'kept'
            """
        )
        return members.map(\.id).filter { $0 != row.id }
    }

    /// Notes that what is being sent at this moment, or was when its process died, may arrive.
    func noteSending(_ row: CardRow, in tx: Transaction) throws {
        try tx.run(
            """
            UPDATE delivery SET may_be_applied = 1 WHERE id = \(row.delivery) AND state IN ('open', 'kept')
            AND EXISTS (SELECT 1 FROM attempt WHERE subject = delivery.id AND ended_at IS NULL)
            """
        )
    }

    /// Takes a card out of its delivery, which is thereby closed: the others are `outcome_unknown`, or `verified` if it surely
    /// was not applied.
    func leaveDelivery(_ row: CardRow, in tx: Transaction) throws -> [CardID] {
        guard let delivery = row.delivery else { return [] }
        guard try tx.exists("SELECT 1 FROM delivery WHERE id = \(delivery) AND state IN ('open', 'kept')") else {
            try tx.run("UPDATE delivery_card SET outcome_unknown = 0 WHERE delivery = \(delivery) AND card = \(row.id)")
            return []
        }
        return try DeliveryRecord(delivery, store: self, in: tx).close(leaving: row.id)
    }

    /// Notes on the number that a card of it was delivered: the order outlives the card.
    func noteDelivered(_ row: CardRow, in tx: Transaction) throws {
        guard let side = row.anySide else { return }
        if try self.delivered(side, of: row.number, in: tx).map(row.age.isNewer) ?? true {
            let name: SQL = side == .front ? "front" : "back"
            let set: SQL = "\(name)_delivered = \(row.order), \(name)_taken = \(row.taken)"
            try tx.run("UPDATE cases SET \(set) WHERE number = \(row.number)")
        }
        // What waited for it does not any more; nor may it expire as if it did, before it is decided again.
        try self.forgetReasons("number = \(row.number) AND state = 'verified' AND reason IS NOT NULL", in: tx)
    }

    func require(_ action: DecisionAction, of row: CardRow, in tx: Transaction) throws {
        try self.noteSending(row, in: tx)
        try OperatorRules.require(action, of: self.judged(row), under: self.circumstances(of: row, in: tx))
    }

    /// Why a caller may not do what to a card; what is missing may be done.
    ///
    /// - Parameter caller: `nil` for the process, which may do everything.
    func actions(for row: CardRow, by caller: Caller?, in tx: Transaction) throws -> [DecisionAction: CodedError] {
        let (card, circumstances) = (self.judged(row), try self.circumstances(of: row, in: tx))
        return DecisionAction.allCases.reduce(into: [:]) { refusals, action in
            let isAllowed = caller?.may(action.access, on: row.submitter) ?? true
            do throws(CodedError) {
                guard isAllowed else { throw Self.scopeMissing(action.access) }
                try OperatorRules.require(action, of: card, under: circumstances)
            } catch { refusals[action] = error }
        }
    }

    /// The card as the rules about what a person may do see it: one that failed has failed, whether or not that counts yet, and a
    /// damaged one can be acted on, too.
    private func judged(_ row: CardRow) -> Card {
        var card = row.shown(self.vault)
        if row.history.failedAt != nil { card.failures = max(1, card.failures) }
        return card
    }

    /// Whether a process at work has the card or its delivery.
    func isUnderWay(_ row: CardRow, in tx: Transaction) throws -> Bool {
        let delivery: String? = try tx.value("SELECT worker FROM delivery WHERE id = \(row.delivery)")
        return [row.worker, delivery].contains { $0.map(self.isAtWork) ?? false }
    }

    private func circumstances(of row: CardRow, in tx: Transaction) throws -> OperatorRules.Circumstances {
        let delivery: DeliveryState? = try tx.value("SELECT state FROM delivery WHERE id = \(row.delivery)")
        var circumstances: OperatorRules.Circumstances = []
        if try self.isReplaced(row, in: tx) { circumstances.insert(.isReplaced) }
        if try self.isReplaced(row, by: [.delivering], in: tx) { circumstances.insert(.isOvertaken) }
        if try self.start(of: row.id, in: tx) != nil { circumstances.insert(.hasImage) }
        if try self.hasReading(row.id, in: tx) { circumstances.insert(.wasRead) }
        if try self.mayBeAtBackend(row.id, in: tx) { circumstances.insert(.mayBeAtBackend) }
        if try self.isUnderWay(row, in: tx) { circumstances.insert(.isUnderWay) }
        if delivery == .kept { circumstances.insert(.hasKeptDelivery) }
        if let kept = try self.keptAnswer(of: row, in: tx), kept.meaning != .unlisted {
            circumstances.insert(.isListedNow)
        }
        return circumstances
    }
}
