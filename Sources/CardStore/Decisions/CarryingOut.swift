import CardModel
import Foundation

// What a person's decision does to a card, and to others of its delivery or case.
extension SandboxDecisions {
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
    /// - Parameters:
    ///   - how: the decision, and why a photo is returned.
    ///   - said: the person's message, sealed.
    ///   - detail: what the access log says.
    func carryOut(
        _ how: (action: DecisionAction, reason: RetakeReason?),
        of row: CardRow,
        saying said: Data?,
        by origin: AccessOrigin,
        detail: String,
        in tx: Transaction
    ) throws -> [CardChange] {
        let (action, reason, code) = (how.action, how.reason, how.reason?.code ?? .rejectedByOperator)
        try AccessLog.append(action.access, of: [row.id], by: origin, detail: detail, vault: self.vault, in: tx)
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
        case .anew: others = try self.sendAnew(row, in: tx)
        case .retake where reason != .number: others = try self.giveBack(row, code, saying: said, in: tx)
        case .reject where row.state == .rejected: others = try self.forgetHolder(of: row, in: tx)
        case .reject, .retake: others = try self.rejectForGood(row, code, saying: said, by: origin.decider, in: tx)
        case .holder: others = try self.nameCustomer(on: row, by: origin.decider, in: tx)
        case .delivered:
            try self.records.move(leave(), Transition(.delivered), in: tx)
            try self.markDelivered(row, in: tx)
        case .accept: others = try self.acceptPair(row, by: origin, in: tx)
        // Cards are erased by `Erasure`, with a certificate.
        case .erase: break
        }
        return try ([row.id] + others.filter { $0 != row.id }).map { CardChange(try CardRow.require($0, in: tx)) }
    }

    /// Returns the held other side of a card that a person passes although a rule held both as perhaps not of one card; none if
    /// there is another decision about it.
    func otherSides(acceptedWith row: CardRow, by caller: Caller?, in tx: Transaction) throws -> [CardRow] {
        let reasons = VerdictRule.ofOtherCard
        guard row.state == .held, row.reason.map(reasons.contains) == true else { return [] }
        let compared: SQL = """
            card.compared_with = \(row.id) OR card.id = (SELECT compared_with FROM card WHERE id = \(row.id))
            """
        let held: SQL = "card.state = \(literal: .held) AND NOT \(Decision.holdsCard) AND (\(compared))"
        return try CardRow.all("WHERE card.number = \(row.number) AND \(held)", in: tx).filter { other in
            guard other.reason.map(reasons.contains) == true else { return false }
            return try self.actions(for: other, by: caller, in: tx)[.accept] == nil
        }
    }

    private func acceptPair(_ row: CardRow, by origin: AccessOrigin, in tx: Transaction) throws -> [CardID] {
        if row.reason == .businessNumberPersonal { return try self.acceptNumber(of: row, in: tx) }
        let others = try self.otherSides(acceptedWith: row, by: origin.caller, in: tx)
        for other in others {
            let unseen = try self.requireLook(false, at: other, for: .accept, by: origin.decider, in: tx)
            let detail = "\(DecisionAction.accept)\(unseen)"
            try AccessLog.append(.resolve, of: [other.id], by: origin, detail: detail, vault: self.vault, in: tx)
            try self.accept(other, in: tx)
        }
        try self.accept(row, in: tx)
        return others.map(\.id)
    }

    private func accept(_ row: CardRow, in tx: Transaction) throws {
        if row.reason.map(ReasonCode.letInByPerson.contains) == true {
            // What was there when the case ended stays ended.
            if row.reason == .caseRejected { try tx.run("UPDATE cases SET ended = 0 WHERE number = \(row.number)") }
            let order = try self.isEnded(row, in: tx) ? self.sandbox.intake.nextOrder(in: tx) : row.order
            let start = try self.records.start(of: row.id, in: tx) ?? .prepared
            try self.records.move(row, Transition(start), also: ", intake_order = \(order)", in: tx)
        } else if row.state == .rejected {
            try self.takeBackRetake(of: row, in: tx)
        } else {
            // The first acceptance decides whose card it is; a second one, or one about a missing front, lets a back go alone.
            let isLone = row.isAccepted || row.state == .verified || row.goesWithoutFront
            // Cards of different user accounts that are both right go one by one.
            let isSplit = row.isSplit || row.reason == .memberMismatch
            let also: SQL = ", accepted = 1, without_front = \(isLone), split = \(isSplit), failures = 0, due_at = NULL"
            try self.records.move(row, Transition(.verified), also: also, in: tx)
        }
    }

    /// A number that seems to name a person is right: the cards that it held continue, and are judged by their readings.
    private func acceptNumber(of row: CardRow, in tx: Transaction) throws -> [CardID] {
        try tx.run("UPDATE cases SET personal = 2 WHERE number = \(row.number)")
        let held: SQL = "card.state = \(literal: .held) AND card.reason = \(ReasonCode.businessNumberPersonal)"
        let others: SQL = "card.id <> \(row.id) AND NOT \(Decision.holdsCard)"
        let all: SQL = "WHERE card.number = \(row.number) AND \(held) AND (card.id = \(row.id) OR \(others))"
        return try CardRow.all("\(all) ORDER BY card.intake_order", in: tx).map { card in
            let start = try self.records.start(of: card.id, in: tx) ?? .prepared
            return try self.records.move(card, Transition(start), also: ", \(Transition.fresh)", in: tx).card
        }
    }

    /// Leaves the old delivery, so that the card gets another key; one that was never verified is verified first.
    private func sendAnew(_ row: CardRow, in tx: Transaction) throws -> [CardID] {
        let others = try self.leaveDelivery(row, in: tx)
        // No rule has judged a restored card as it is now; a stored reading costs no call.
        let isRead = try row.reason != .restored && self.records.hasReading(row.id, in: tx)
        let target = isRead ? .verified : try self.records.start(of: row.id, in: tx) ?? .prepared
        let also: SQL = ", split = \(row.isSplit || row.reason == .retcodeUnlisted), \(Transition.fresh)"
        try self.records.move(CardRow.require(row.id, in: tx), Transition(target), also: also, in: tx)
        return others
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
}
