import GRDB
import IDCardCore
import IDCardPipeline

/// One change of a card's state: what is expected, and what follows.
struct CardTransition {
    var card: CardID
    /// The state it must be in.
    var from: CardState
    /// The state it enters.
    var to: CardState
    /// Who must hold its lease; `nil` if nobody may.
    var leasedBy: String?
    var reason: ReasonCode?
    var message: String?
    /// What its event says where there is no reason, such as the backend's word of acceptance.
    var code: String?
    /// What its event is called where that is not the state entered.
    var kind: String?
    /// The failed attempts that the card shows from now on.
    var attempts = 0
    /// Whether what is known of its failed calls outlives the change.
    var keepsFailures = false
    var now: Timestamp
}

extension SandboxStore {
    /// Changes the state of a card and writes its event; the lease, if any, is given back.
    ///
    /// - Throws: `StoreError.conflict` if the card is not as expected.
    func perform(_ transition: CardTransition, in db: Database) throws {
        // Whose key does not open changes its state without a message: the reason says enough.
        let message = try self.unlessDamaged {
            try self.vault.seal(
                transition.message.map(Redacted.init),
                card: transition.card,
                column: "card.message",
                in: db
            )
        }
        try db.execute(
            cached: """
                UPDATE card SET state = ?, reason = ?, message = ?, attempts = ?, due_at = 0,
                    lease_owner = NULL, lease_expires_at = NULL, changed_at = ?
                WHERE id = ? AND state = ? AND lease_owner IS ?
                """,
            arguments: [
                transition.to.rawValue, transition.reason?.rawValue, message, transition.attempts,
                transition.now.millisecondsSinceEpoch,
                transition.card.rawValue, transition.from.rawValue, transition.leasedBy,
            ]
        )
        guard db.changesCount == 1 else {
            throw StoreError(
                .conflict,
                "card \(transition.card) is not \(transition.from) any more; nothing was changed"
            )
        }
        // Between verification and the end of delivery a card may be formed into several deliveries.
        if !transition.keepsFailures, !(transition.from.isForDelivery && transition.to.isForDelivery) {
            try self.forgetFailures(of: transition.card, in: db)
        }
        let event = CardEvent(
            at: transition.now,
            kind: transition.kind ?? transition.to.rawValue,
            state: transition.to,
            code: transition.reason?.rawValue ?? transition.code
        )
        try self.append(event, to: transition.card, in: db)
        if transition.to == .delivered { try self.noteDelivered(transition.card, now: transition.now, in: db) }
    }

    /// Adds a line to the history of a card.
    func append(_ event: CardEvent, to card: CardID, in db: Database) throws {
        try db.execute(
            cached: "INSERT INTO event (card, at, kind, state, code) VALUES (?, ?, ?, ?, ?)",
            arguments: [card.rawValue, event.at.millisecondsSinceEpoch, event.kind, event.state?.rawValue, event.code]
        )
    }
}

extension CardState {
    /// Whether the stage `deliver` has it: about to go, or on its way.
    fileprivate var isForDelivery: Bool { self == .verified || self == .delivering }
}
