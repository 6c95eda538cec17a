package import CardModel
import Foundation

// What a person does to single cards: each change is one transaction with its line in the access log.
extension CardStore {
    /// Does a card again: from its verification, or from its stored reading.
    ///
    /// - Throws: `not_found`, or `card_conflict` with what to do instead.
    @discardableResult
    package func retry(_ id: CardID, by origin: AccessOrigin, now: Timestamp) async throws -> CardChange {
        try await Self.translating {
            try await self.database.write { tx in
                let row = try CardRow.require(id, in: tx)
                let circumstances = try self.circumstances(of: row, isReplaced: self.isReplaced(row, in: tx), in: tx)
                var card = self.judged(row)
                // Outside its delivery it would be verified, unless that may have arrived.
                if row.state == .delivering { card.state = .verified }
                try OperatorRules.requireRetry(of: card, under: circumstances)
                try AccessLog.append(.retry, of: [id], by: origin, vault: self.vault, now: now, in: tx)
                if row.state == .delivering { _ = try self.leaveDelivery(row, now: now, in: tx) }
                let target = card.state == .verified ? .verified : try self.start(of: id, in: tx) ?? .prepared
                try Transition(id, from: row.state, to: target).perform(
                    also: ", failures = 0, tries = 0, failed_at = NULL, due_at = NULL",
                    number: row.number,
                    key: nil,
                    now: now,
                    in: tx
                )
                return CardChange(try CardRow.require(id, in: tx))
            }
        }
    }

    /// Writes down what a person decided about a card.
    ///
    /// - Returns: where the card stands now, and the other members of a delivery that this closes or sends again.
    /// - Throws: `not_found`, or `card_conflict` with what to do instead.
    @discardableResult
    package func resolve(
        _ id: CardID,
        as resolution: Resolution,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [CardChange] {
        try await Self.translating {
            try await self.database.write { tx in
                let row = try CardRow.require(id, in: tx)
                try self.require(resolution, of: row, in: tx)
                try AccessLog.append(.resolve, of: [id], by: origin, vault: self.vault, now: now, in: tx)
                let others: [CardID]
                if resolution == .resend {
                    others = try self.resend(row, now: now, in: tx)
                } else {
                    others = try self.leaveDelivery(row, now: now, in: tx)
                    try self.move(row, by: resolution, now: now, in: tx)
                }
                return try ([id] + others).map { CardChange(try CardRow.require($0, in: tx)) }
            }
        }
    }

    private func move(_ row: CardRow, by resolution: Resolution, now: Timestamp, in tx: Transaction) throws {
        func perform(_ transition: Transition, also assignments: SQL = "") throws {
            try transition.perform(also: assignments, number: row.number, key: nil, now: now, in: tx)
        }
        // A front that a person settles is read again from the row, which the delivery may have moved.
        let state = try CardRow.require(row.id, in: tx).state
        switch resolution {
        case .reject: try perform(Transition(row.id, from: state, to: .rejected, reason: .rejectedByOperator))
        case .delivered:
            try perform(Transition(row.id, from: state, to: .delivered))
            try self.noteDelivered(row, in: tx)
        case .accept where row.reason == .submitterConflict:
            try perform(Transition(row.id, from: state, to: self.start(of: row.id, in: tx) ?? .prepared))
        case .accept:
            // The first word settles whose card it is; a second one, or one about a missing front, lets a back go alone.
            let isLone = row.isAccepted || row.state == .verified || row.goesWithoutFront
            // Cards of different user accounts that are right both go one by one.
            let goesAlone = row.goesAlone || row.reason == .memberMismatch
            try perform(
                Transition(row.id, from: state, to: .verified),
                also: ", accepted = 1, without_front = \(isLone), alone = \(goesAlone), failures = 0, due_at = NULL"
            )
        case .resend: break
        }
    }

    /// Sends the kept delivery of a card again, byte for byte, with all its members that are still held.
    private func resend(_ row: CardRow, now: Timestamp, in tx: Transaction) throws -> [CardID] {
        guard let delivery = row.delivery else { return [] }
        let members = try self.members(of: delivery, in: tx).map { try CardRow.require($0, in: tx) }
            .filter { $0.state == .held && $0.delivery == delivery }
        for member in members {
            if member.id != row.id { try self.require(.resend, of: member, in: tx) }
            try Transition(member.id, from: .held, to: .delivering).perform(
                also: ", failures = 0, tries = 0, failed_at = NULL, due_at = NULL",
                number: member.number,
                key: nil,
                now: now,
                in: tx
            )
        }
        try tx.one(
            """
            UPDATE delivery SET state = 'open', failures = 0, tries = 0, failed_at = NULL, due_at = NULL, changed_at = \(now)
            WHERE id = \(delivery) AND state = 'kept'
            """
        )
        return members.map(\.id).filter { $0 != row.id }
    }

    /// Takes a card out of its delivery, which is thereby closed: the others are `outcome_unknown`, or `verified` if it surely
    /// was not applied.
    func leaveDelivery(_ row: CardRow, now: Timestamp, in tx: Transaction) throws -> [CardID] {
        guard let delivery = row.delivery,
            try tx.exists("SELECT 1 FROM delivery WHERE id = \(delivery) AND state IN ('open', 'kept')")
        else {
            if let delivery = row.delivery {
                try tx.run("UPDATE delivery_card SET undecided = 0 WHERE delivery = \(delivery) AND card = \(row.id)")
            }
            return []
        }
        let open = try OpenDelivery(delivery, store: self, now: now, in: tx)
        return try open.close(leaving: row.id, store: self, in: tx)
    }

    /// Notes on the number that a card of it was delivered: the order outlives the card.
    func noteDelivered(_ row: CardRow, in tx: Transaction) throws {
        guard let side = row.anySide else { return }
        let column: SQL = side == .front ? "front_delivered" : "back_delivered"
        try tx.run(
            """
            UPDATE application SET \(column) = CASE WHEN \(column) > \(row.order) THEN \(column) ELSE \(row.order) END
            WHERE number = \(row.number)
            """
        )
    }

    private func require(_ resolution: Resolution, of row: CardRow, in tx: Transaction) throws {
        // A newer photo that waits for this one goes after it; only one that is sent already must stay the last.
        let isReplaced = try self.isReplaced(row, by: [.delivering, .delivered], in: tx)
        let circumstances = try self.circumstances(of: row, isReplaced: isReplaced, in: tx)
        try OperatorRules.requireResolution(of: self.judged(row), as: resolution, under: circumstances)
    }

    /// The card as the rules about what a person may do see it: one that failed has failed, whether or not that counts yet, and a
    /// damaged one can be acted on, too.
    private func judged(_ row: CardRow) -> Card {
        var card = row.shown(self.vault)
        if row.history.failedAt != nil { card.failures = max(1, card.failures) }
        return card
    }

    private func circumstances(
        of row: CardRow,
        isReplaced: Bool,
        in tx: Transaction
    ) throws -> OperatorRules.Circumstances {
        var isSending = false
        var isKept = false
        if let delivery = row.delivery {
            isSending = try tx.exists("SELECT 1 FROM delivery WHERE id = \(delivery) AND worker IS NOT NULL")
            isKept = try tx.exists("SELECT 1 FROM delivery WHERE id = \(delivery) AND state = 'kept'")
        }
        return OperatorRules.Circumstances(
            hasImage: try self.start(of: row.id, in: tx) != nil,
            wasRead: try tx.exists("SELECT 1 FROM blob WHERE card = \(row.id) AND kind = 'reading'"),
            isUnderWay: row.worker != nil || isSending,
            mayBeAtBackend: try self.mayBeAtBackend(row.id, in: tx),
            hasKeptDelivery: isKept,
            isReplaced: isReplaced
        )
    }
}
