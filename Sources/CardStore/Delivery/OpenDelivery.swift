import CardModel
import Foundation

/// A delivery and its members within one transaction.
struct OpenDelivery {
    let id: DeliveryID
    let members: [CardID]
    private let state: String
    private(set) var mayBeApplied: Bool
    private var history: FailureHistory
    let now: Timestamp

    init(_ id: DeliveryID, store: CardStore, now: Timestamp, in tx: Transaction) throws {
        let row = try tx.row(
            "SELECT state, may_be_applied, failures, tries, failed_at, blamed_at FROM delivery WHERE id = \(id)"
        ) { row in
            (state: try row.next(String.self), mayBeApplied: try row.next(Bool.self), history: try FailureHistory(&row))
        }
        guard let row else { throw DatabaseError(.damaged, "a delivery has no row") }
        self.id = id
        self.members = try store.members(of: id, in: tx)
        self.state = row.state
        self.mayBeApplied = row.mayBeApplied
        self.history = row.history
        self.now = now
    }

    var standing: DeliverySettlement.Standing {
        DeliverySettlement.Standing(
            mayBeApplied: self.mayBeApplied,
            memberCount: self.members.count,
            history: self.history
        )
    }

    /// Whether what an attempt brought decides about the delivery.
    ///
    /// A failure does so while the delivery is open and the attempt is still its worker's: whoever took it over sends it now.
    /// What the backend took settles also what was unknown meanwhile.
    func isSettled(by outcome: DeliveryOutcome, isCurrent: Bool) -> Bool {
        switch outcome {
        case .accepted, .items: ["open", "kept", "closed"].contains(self.state)
        case .tokenExpired, .failed: isCurrent && self.state == "open"
        }
    }

    /// Selects every delivery that one of its members was in: what those brought says nothing of other cards.
    private var own: SQL { "SELECT delivery FROM delivery_card WHERE card IN \(list: self.members)" }

    /// Counts a failure for the delivery, and for its members: one that is formed again remembers them.
    mutating func countFailure(_ failureClass: FailureClass, store: CardStore, in tx: Transaction) throws {
        var known = self.history
        for row in try self.members.map({ try CardRow.require($0, in: tx) }) {
            known.failures = max(known.failures, row.history.failures)
            known.tries = max(known.tries, row.history.tries)
            guard self.history.failedAt == nil, let failedAt = row.history.failedAt else { continue }
            known.failedAt = max(known.failedAt ?? failedAt, failedAt)
            known.blamedAt = [known.blamedAt, row.history.blamedAt].compactMap(\.self).max()
        }
        self.history = try store.counting(
            failureClass,
            after: known,
            stage: .deliver,
            own: self.own,
            now: self.now,
            in: tx
        )
        try tx.run("UPDATE delivery SET \(self.history.assignments) WHERE id = \(self.id)")
        try tx.run("UPDATE card SET \(self.history.assignments) WHERE id IN \(list: self.members)")
    }

    mutating func noteMayBeApplied(in tx: Transaction) throws {
        self.mayBeApplied = true
        try tx.run("UPDATE delivery SET may_be_applied = 1 WHERE id = \(self.id)")
    }

    // MARK: What follows

    func apply(_ settlement: DeliverySettlement, retry: RetryTerms, store: CardStore, in tx: Transaction) throws {
        let later = self.now.advanced(by: retry.delay)
        switch settlement {
        case .again(let waits):
            let due = waits ? later : nil
            try tx.run(
                "UPDATE delivery SET worker = NULL, due_at = \(due), changed_at = \(self.now) WHERE id = \(self.id)"
            )
        case .delivered:
            try self.close(as: "delivered", in: tx)
            for card in self.members { try self.deliver(card, store: store, in: tx) }
        case .items(let items):
            try self.close(as: "closed", in: tx)
            for (index, card) in self.members.enumerated() {
                let item = items.indices.contains(index) ? items[index] : .unknown(Self.unnamed)
                try self.settle(card, by: item, retry: retry, store: store, in: tx)
            }
        case .dissolved(let alone, let waits):
            try self.close(as: "dissolved", in: tx)
            let due = waits ? later : nil
            for card in self.members { try self.release(card, alone: alone, dueAt: due, store: store, in: tx) }
        case .rejected(let failure):
            try self.close(as: "refused", in: tx)
            for card in self.members {
                try self.end(card, as: .rejected, .refusedByRemote, failure, store: store, in: tx)
            }
        case .heldUnlisted(let failure):
            try self.close(as: "refused", in: tx)
            for card in self.members { try self.end(card, as: .held, .retcodeUnlisted, failure, store: store, in: tx) }
        case .failed(let failure):
            try self.close(as: "refused", in: tx)
            let reason: ReasonCode = failure.failureClass == .stop ? .refusedByRemote : .attemptsExhausted
            for card in self.members { try self.end(card, as: .failed, reason, failure, store: store, in: tx) }
        case .kept(let failure):
            try tx.run(
                """
                UPDATE delivery SET state = 'kept', may_be_applied = 1, worker = NULL, due_at = NULL, changed_at = \(self.now)
                WHERE id = \(self.id)
                """
            )
            for card in self.members { try self.end(card, as: .held, .outcomeUnknown, failure, store: store, in: tx) }
        }
    }

    /// Closes the delivery: it is never sent again, so its parts go.
    func close(as state: String, in tx: Transaction) throws {
        try tx.run(
            """
            UPDATE delivery SET state = \(state), parts = NULL, worker = NULL, due_at = NULL, changed_at = \(self.now)
            WHERE id = \(self.id)
            """
        )
        if state != "closed" { try tx.run("UPDATE delivery_card SET undecided = 0 WHERE delivery = \(self.id)") }
    }

    /// Closes the delivery because one member leaves it: of the others nobody knows, unless it surely was not applied.
    ///
    /// - Returns: the others.
    func close(leaving card: CardID, store: CardStore, in tx: Transaction) throws -> [CardID] {
        try self.close(as: "closed", in: tx)
        try self.decide(card, in: tx)
        let others = self.members.filter { $0 != card }
        for other in others {
            if self.mayBeApplied {
                guard let row = try self.member(other, in: tx), row.state == .delivering else { continue }
                try Transition(other, from: row.state, to: .held, reason: .outcomeUnknown, message: Self.leftMessage)
                    .perform(number: row.number, key: try? row.key(store.vault), now: self.now, in: tx)
            } else {
                try self.decide(other, in: tx)
                try self.release(other, alone: false, dueAt: nil, store: store, in: tx)
            }
        }
        return others
    }

    /// Ends a delivery that cannot be sent again since a value of it does not open.
    func abandon(store: CardStore, in tx: Transaction) throws {
        try self.close(as: "closed", in: tx)
        for card in self.members {
            guard let row = try self.member(card, in: tx) else { continue }
            if self.mayBeApplied {
                try Transition(
                    card,
                    from: row.state,
                    to: .held,
                    reason: .outcomeUnknown,
                    message: Self.damagedMessage
                )
                .perform(number: row.number, key: try? row.key(store.vault), now: self.now, in: tx)
            } else {
                try self.decide(card, in: tx)
                if (try? store.open(row, in: tx)) != nil {
                    try self.release(card, alone: false, dueAt: nil, store: store, in: tx)
                } else {
                    try store.failUnreadable(row, now: self.now, in: tx)
                }
            }
        }
    }

    private static let damagedMessage: Message =
        "its delivery may have arrived and cannot be sent again, since a stored value is damaged; look at the backend, then resolve it"
    private static let leftMessage: Message =
        "another card of its delivery was taken out while the delivery may have arrived; look at the backend, then resolve it"

    /// It is known what became of a member.
    func decide(_ card: CardID, in tx: Transaction) throws {
        try tx.run("UPDATE delivery_card SET undecided = 0 WHERE delivery = \(self.id) AND card = \(card)")
    }

    /// Marks a card as delivered, and its number: the order outlives the card.
    func deliver(_ card: CardID, store: CardStore, in tx: Transaction) throws {
        guard let row = try self.member(card, in: tx) else { return try self.deliverErased(card, store: store, in: tx) }
        try self.move(row, to: .delivered, in: tx)
        try store.noteDelivered(row, in: tx)
    }

    /// One that was erased while it was being sent has arrived: its back may go, and an older photo may not.
    private func deliverErased(_ card: CardID, store: CardStore, in tx: Transaction) throws {
        let row = try CardRow.require(card, in: tx)
        guard row.state == .erased, row.delivery == self.id else { return }
        try tx.run("UPDATE card SET was_delivered = 1 WHERE id = \(card)")
        try store.noteDelivered(row, in: tx)
        try Transition.markForDecision(row.number, in: tx)
    }

    func release(_ card: CardID, alone: Bool, dueAt: Timestamp?, store: CardStore, in tx: Transaction) throws {
        guard let row = try self.member(card, in: tx) else { return }
        try self.move(
            row,
            to: .verified,
            also: ", due_at = \(dueAt), alone = \(alone || row.goesAlone)",
            in: tx
        )
    }

    func end(
        _ card: CardID,
        as state: CardState,
        _ reason: ReasonCode,
        _ failure: RemoteFailure,
        store: CardStore,
        in tx: Transaction
    ) throws {
        guard let row = try self.member(card, in: tx) else { return }
        try Transition(
            card,
            from: row.state,
            to: state,
            reason: reason,
            remoteCode: failure.code,
            message: failure.message
        ).perform(number: row.number, key: row.key(store.vault), now: self.now, in: tx)
    }

    private func move(
        _ row: CardRow,
        to state: CardState,
        also assignments: SQL = "",
        in tx: Transaction
    ) throws {
        try Transition(row.id, from: row.state, to: state)
            .perform(also: assignments, number: row.number, key: nil, now: self.now, in: tx)
    }

    /// The row of a member that still stands as the delivery left it: a late answer settles what was unknown, and changes
    /// nothing that a person has decided since.
    func member(_ card: CardID, in tx: Transaction) throws -> CardRow? {
        let row = try CardRow.require(card, in: tx)
        guard row.delivery == self.id else { return nil }
        let isUnknown = row.state == .held && row.reason == .outcomeUnknown
        return row.state == .delivering || isUnknown ? row : nil
    }
}
