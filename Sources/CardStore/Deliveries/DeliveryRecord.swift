import CardModel

/// A delivery and its members within one transaction.
struct DeliveryRecord {
    let id: DeliveryID
    let members: [CardID]
    let store: Sandbox
    let tx: Transaction
    private let state: DeliveryState
    private let worker: String?
    /// Whether the last answer could not be understood.
    let isUnreadable: Bool
    var mayBeApplied: Bool
    private(set) var history: FailureHistory

    init(_ id: DeliveryID, store: Sandbox, in tx: Transaction) throws {
        let row = try tx.row(
            """
            SELECT state, worker, may_be_applied, unreadable, failures, tries, failed_at, counts_from FROM delivery WHERE id = \(id)
            """
        ) { row in
            let (state, worker) = (try row.next(DeliveryState.self), try row.next(String?.self))
            return (state, worker, try row.next(Bool.self), try row.next(Bool.self), try FailureHistory(&row))
        }
        guard let row else { throw DatabaseError(.damaged, "a delivery has no row") }
        (self.id, self.store, self.tx) = (id, store, tx)
        self.members = try store.deliveries.members(of: id, in: tx)
        (self.state, self.worker, self.mayBeApplied, self.isUnreadable, self.history) = row
    }

    var memberStates: [CardChange] {
        get throws { try self.rows.map(CardChange.init) }
    }

    private var rows: [CardRow] {
        get throws { try self.members.map { try CardRow.require($0, in: self.tx) } }
    }

    /// Whether a worker still has the claim of the delivery: by now, the delivery may be closed, or another worker may have it.
    func isClaimed(by worker: String?) -> Bool { self.state == .open && self.worker == worker }

    /// Whether a newer photo replaces a member, and no attempt can have been applied.
    var isOvertaken: Bool {
        get throws {
            try !self.mayBeApplied
                && self.rows.contains { try self.store.records.isReplaced($0, by: [.verified], in: self.tx) }
        }
    }

    /// Whether the outcome of an attempt applies to the delivery. A failure applies while the delivery is open and no other
    /// worker has taken it over. An acceptance applies even if a person was already to decide: it resolves the unknown outcome.
    func isDecided(by outcome: DeliveryOutcome, isCurrent: Bool) -> Bool {
        switch outcome {
        case .accepted, .items: self.state.takesAcceptance
        case .tokenExpired, .failed: isCurrent && self.state == .open
        }
    }

    /// Counts a failure for the delivery, and for its members, so that their next delivery inherits it.
    mutating func countFailure(_ failureClass: FailureClass) throws {
        var known = self.history
        for row in try self.rows {
            known.failures = max(known.failures, row.history.failures)
            known.tries = max(known.tries, row.history.tries)
            guard self.history.failedAt == nil, let failedAt = row.history.failedAt else { continue }
            known.failedAt = max(known.failedAt ?? failedAt, failedAt)
            known.countsFrom = [known.countsFrom, row.history.countsFrom].compactMap(\.self).max()
        }
        // Other deliveries of the same members do not show whether other cards pass.
        let deliveries: SQL = "SELECT delivery FROM delivery_card WHERE card IN \(list: self.members)"
        let rule = AttemptRule.onceOthersPass(.deliver, after: failureClass, except: deliveries)
        self.history = try known.adding(rule, in: self.tx)
        try self.tx.run("UPDATE delivery SET \(self.history.assignments) WHERE id = \(self.id)")
        try self.tx.run("UPDATE card SET \(self.history.assignments) WHERE id IN \(list: self.members)")
    }

    // MARK: Closing

    /// Closes the delivery: it is never sent again, so its parts are deleted.
    func close(as state: DeliveryState) throws {
        try self.tx.run(
            """
            UPDATE delivery SET state = \(state), parts = NULL, worker = NULL, due_at = NULL, changed_at = \(self.tx.now)
            WHERE id = \(self.id)
            """
        )
        if state != .closed {
            try self.tx.run("UPDATE delivery_card SET outcome_unknown = 0 WHERE delivery = \(self.id)")
        }
    }

    /// Closes the delivery because one member leaves it, and returns the other members. They return to `verified`, or are held
    /// if the backend may have applied the delivery.
    func close(leaving card: CardID) throws -> [CardID] {
        try self.close(as: .closed)
        try self.markKnown(card)
        let others = self.members.filter { $0 != card }
        for other in others { try self.detach(other, .deliveryLeft(other)) }
        return others
    }

    /// Closes a delivery that cannot be sent again, because one of its values cannot be unsealed.
    func closeDamaged() throws {
        try self.close(as: .closed)
        for card in self.members {
            if !self.mayBeApplied, let row = try self.member(card),
                try CardRecords.nilIfUnreadable({ try self.store.records.unseal(row, in: self.tx) }) == nil
            {
                try self.markKnown(card)
                try self.store.records.failUnreadable(row, in: self.tx)
            } else {
                try self.detach(card, .deliveryDamaged(card))
            }
        }
    }

    /// Returns a member to `verified`, or holds it with a message if the backend may have applied the delivery.
    private func detach(_ card: CardID, _ message: Message) throws {
        if self.mayBeApplied {
            guard let row = try self.member(card), row.state == .delivering else { return }
            try self.store.records.move(row, Transition(.held, .outcomeUnknown, message), in: self.tx)
        } else {
            try self.markKnown(card)
            try self.returnToVerified(card)
        }
    }

    func markKnown(_ card: CardID) throws {
        try self.tx.run("UPDATE delivery_card SET outcome_unknown = 0 WHERE delivery = \(self.id) AND card = \(card)")
    }

    /// Marks a card as delivered, also in its case, which keeps the age of the photo even after the card is erased.
    func deliver(_ card: CardID) throws {
        guard let row = try self.member(card) else { return try self.deliverErased(card) }
        try self.store.records.move(row, Transition(.delivered), in: self.tx)
        try self.store.decisions.markDelivered(row, in: self.tx)
    }

    /// Marks a card that was erased while it was being sent as delivered, so that the other side may go, and an older photo not.
    private func deliverErased(_ card: CardID) throws {
        let row = try CardRow.require(card, in: self.tx)
        guard row.state == .erased, row.delivery == self.id else { return }
        try self.tx.run("UPDATE card SET was_delivered = 1 WHERE id = \(card)")
        try self.store.decisions.markDelivered(row, in: self.tx)
        try Transition.markForDecision(row.number, in: self.tx)
    }

    func returnToVerified(_ card: CardID, alone: Bool = false, dueAt: Timestamp? = nil) throws {
        guard let row = try self.member(card) else { return }
        let also: SQL = ", \(Wait.assigning(until: dueAt, from: self.tx.now)), split = \(alone || row.isSplit)"
        try self.store.records.move(row, Transition(.verified), also: also, in: self.tx)
    }

    func finishMember(_ card: CardID, _ transition: Transition) throws {
        if let row = try self.member(card) { try self.store.records.move(row, transition, in: self.tx) }
    }

    /// The row of a member that is being sent, or is held for this delivery's answer; `nil` for other members, so that a late
    /// answer changes nothing that a person has decided meanwhile.
    func member(_ card: CardID) throws -> CardRow? {
        let row = try CardRow.require(card, in: self.tx)
        guard row.delivery == self.id else { return nil }
        let isUnknown = row.state == .held && (row.reason == .outcomeUnknown || row.reason == .retcodeUnlisted)
        return row.state == .delivering || isUnknown ? row : nil
    }
}
