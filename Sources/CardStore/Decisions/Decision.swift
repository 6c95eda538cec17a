package import CardModel
import Foundation

/// A person's decision about a card that is not carried out yet: it can be undone on a page, or waits for a second person.
///
/// A card has one at most. While it counts, the card does not move by itself: it is neither claimed nor decided, amended or
/// judged again.
package struct Decision: Hashable, Sendable, Record {
    package let card: CardID
    package let number: BusinessNumber
    package let action: DecisionAction
    /// Why the photo is returned.
    package let reason: RetakeReason?
    /// What a rejection does, as its page showed it.
    var effect: RejectEffect?
    /// Who decided first, and why.
    package private(set) var subject: String
    package private(set) var purpose: String
    /// Whether a second person must decide the same, by the list of the sandbox when this was stored.
    package let needsSecond: Bool
    /// The second person.
    package var second: String?
    var secondPurpose: String?
    /// When it is carried out; if it waits for a second person, since when.
    package var until: Timestamp
    /// The process on whose page it can be undone; `nil` once that is over.
    var worker: String?
    /// The last event of the card that the person saw.
    let seen: Int64
    let sealedMessage: Data?

    static let columns: SQL = """
        decision.card, card.number, decision.action, decision.reason, decision.effect, decision.subject, decision.purpose,
        decision.needs_second,
        decision.second, decision.second_purpose, decision.until, decision.worker, decision.seen, decision.message
        """
    static let tables: SQL = "decision JOIN card ON card.id = decision.card"

    init(
        _ wanted: (action: DecisionAction, reason: RetakeReason?),
        of row: CardRow,
        by origin: AccessOrigin,
        saying sealedMessage: Data?,
        needsSecond: Bool,
        in tx: Transaction
    ) throws {
        (self.card, self.number, self.action, self.reason) = (row.id, row.number, wanted.action, wanted.reason)
        (self.subject, self.purpose) = (origin.decider, origin.purpose)
        (self.needsSecond, self.sealedMessage, self.until) = (needsSecond, sealedMessage, tx.now)
        self.seen = try row.lastEvent(in: tx)
    }

    init(_ row: inout Row) throws {
        (self.card, self.number, self.action) = (try row.next(), try row.next(), try row.next())
        (self.reason, self.effect) = (try row.next(), try row.next(Int?.self).flatMap(RejectEffect.init))
        (self.subject, self.purpose, self.needsSecond) = (try row.next(), try row.next(), try row.next())
        (self.second, self.secondPurpose, self.until) = (try row.next(), try row.next(), try row.next())
        (self.worker, self.seen, self.sealedMessage) = (try row.next(), try row.next(), try row.next())
    }

    /// Stores it in place of an earlier decision about the card.
    func write(in tx: Transaction) throws {
        try self.remove(in: tx)
        try tx.run(
            """
            INSERT INTO decision (card, action, reason, effect, subject, purpose, needs_second, second, second_purpose, until,
                worker, seen, message)
            VALUES (\(self.card), \(self.action), \(self.reason), \(self.effect?.rawValue), \(self.subject), \(self.purpose),
                \(self.needsSecond), \(self.second), \(self.secondPurpose), \(self.until), \(self.worker), \(self.seen),
                \(self.sealedMessage))
            """
        )
    }

    /// Deletes it, which releases the card.
    func remove(in tx: Transaction) throws {
        try tx.run("DELETE FROM decision WHERE card = \(self.card) AND dropped = 0")
        try Transition.markForDecision(self.number, in: tx)
    }

    /// The decision about a card that counts; `nil` if there is none, or the card has moved since.
    static func about(_ card: CardID, in tx: Transaction) throws -> Decision? {
        try Self.all("WHERE decision.card = \(card) AND \(Self.counts) AND NOT (\(Self.hasLapsed))", in: tx).first
    }

    static func forget(_ card: CardID, in tx: Transaction) throws {
        try tx.run("DELETE FROM decision WHERE card = \(card) AND dropped = 1")
    }

    /// Has a process carry it out after the time in which it can be undone.
    mutating func makeUndoable(in worker: String, at now: Timestamp) {
        (self.worker, self.until) = (worker, now.advanced(by: Limits.undoTime))
    }

    /// Returns it as confirmed by a second person.
    func confirmed(by origin: AccessOrigin) -> Decision {
        var decision = self
        (decision.second, decision.secondPurpose) = (origin.decider, origin.purpose)
        return decision
    }

    /// The second person's confirmation as a decision of its own.
    var ofSecond: Decision? {
        guard let second = self.second else { return nil }
        var decision = self
        (decision.subject, decision.purpose) = (second, self.secondPurpose ?? "")
        (decision.second, decision.secondPurpose, decision.worker) = (nil, nil, nil)
        return decision
    }

    /// Who decided last.
    package var decider: String { self.second ?? self.subject }
    package var waitsForSecond: Bool { self.needsSecond && self.second == nil }

    /// What the access log says of it.
    var detail: String {
        self.second == nil ? self.reason?.rawValue ?? self.action.rawValue : "agree \(self.subject)"
    }

    /// How long it can be undone.
    var wait: Wait { Wait(from: self.until.advanced(by: .zero - Limits.undoTime), until: self.until) }

    /// Its outcome so far.
    var outcome: DecisionOutcome { self.worker == nil ? .waitsForSecond : .undoable(until: self.until) }

    var pending: FourEyes.Pending {
        FourEyes.Pending(
            self.action,
            because: self.reason,
            by: self.subject,
            second: self.second,
            needsSecond: self.needsSecond
        )
    }

    // MARK: Which count

    /// Selects decisions that were not dropped; a dropped one stays until the person has seen it.
    static let counts: SQL = "decision.dropped = 0"
    static let isUndoable: SQL = "decision.worker IS NOT NULL"
    static let waits: SQL = "decision.needs_second = 1 AND decision.second IS NULL AND decision.dropped = 0"
    static let wasDropped: SQL = "decision.dropped = 1"
    /// Selects decisions whose card has moved since, but no `reject` or `erase` of a card that was never in a delivery.
    static let hasLapsed: SQL = """
        decision.seen <> (SELECT max(event.id) FROM event WHERE event.card = decision.card)
        AND (decision.action NOT IN \(list: [DecisionAction.reject, .erase]) OR card.delivery IS NOT NULL)
        """
    static let holdsCard: SQL = "EXISTS (SELECT 1 FROM decision WHERE decision.card = card.id AND decision.dropped = 0)"
}

extension AccessOrigin {
    /// Who decides: a caller, or the process.
    var decider: String { self.caller?.subject ?? self.actor }
}

/// The outcome of a person's decision.
package enum DecisionOutcome: Hashable, Sendable {
    /// It was carried out: the state of the card, and of others that this moved.
    case done([CardChange])
    /// It is stored until a second person decides the same.
    case waitsForSecond
    /// It is carried out at this time, unless it is undone before.
    case undoable(until: Timestamp)

    package var changes: [CardChange] { if case .done(let changes) = self { changes } else { [] } }
}

// MARK: Listing

extension SandboxDecisions {
    /// Decisions that wait for a second person, oldest first; none for a caller who sees its own cards only.
    package func decisionsWaiting(for caller: Caller, limit: Int) async throws -> [Decision] {
        guard caller.submitter(for: .show) == nil else { return [] }
        return try await self.read { tx in
            let page: SQL = "ORDER BY decision.until LIMIT \(min(limit, Limits.pageSize))"
            return try Decision.all("WHERE \(Decision.waits) AND NOT (\(Decision.hasLapsed)) \(page)", in: tx)
        }
    }

    /// The decisions that a person can still undo on pages, the last first; also those of before a restart.
    package func undoable(by caller: Caller) async throws -> [Decision] {
        let own: SQL = "\(Decision.isUndoable) AND coalesce(decision.second, decision.subject) = \(caller.subject)"
        return try await self.read { tx in try Decision.all("WHERE \(own) ORDER BY decision.until DESC", in: tx) }
    }

    /// Returns, once, a person's decisions that were dropped because the card moved or the rules no longer allow them.
    package func dropped(of caller: Caller, now: Timestamp) async throws -> [Decision] {
        let own: SQL = "\(Decision.wasDropped) AND decision.subject = \(caller.subject)"
        @Sendable func dropped(_ tx: Transaction) throws -> [Decision] {
            try Decision.all("WHERE \(own) ORDER BY decision.until", in: tx)
        }
        guard try await !self.read(dropped).isEmpty else { return [] }
        return try await self.write(at: now) { tx in
            try dropped(tx).map { decision in
                let one: SQL = "card = \(decision.card) AND dropped = 1 AND subject = \(decision.subject)"
                try tx.run("DELETE FROM decision WHERE \(one)")
                return decision
            }
        }
    }
}
