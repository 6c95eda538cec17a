package import CardModel
import Foundation

/// What a person decided about a card and is not carried out yet: it can be taken back on a page, or waits for a second person.
///
/// A card has one at most. While it counts, nothing moves the card by itself: it is neither claimed nor decided, amended or
/// judged again.
package struct Decision: Hashable, Sendable, Record {
    package let card: CardID
    package let number: BusinessNumber
    package let action: DecisionAction
    /// Who decided first, and why.
    package private(set) var subject: String
    package private(set) var purpose: String
    /// Whether a second person must decide the same: by the list of the sandbox when this was written.
    package let needsSecond: Bool
    /// Who did.
    package var second: String?
    var secondPurpose: String?
    /// When it is carried out; of one that waits for a second person, since when.
    package var until: Timestamp
    /// The process whose page it can be taken back on; `nil` once that is over.
    var worker: String?
    /// The last event of the card that the person saw.
    let seen: Int64
    let sealedMessage: Data?

    static let columns: SQL = """
        decision.card, card.number, decision.action, decision.subject, decision.purpose, decision.needs_second,
        decision.second, decision.second_purpose, decision.until, decision.worker, decision.seen, decision.message
        """
    static let tables: SQL = "decision JOIN card ON card.id = decision.card"

    init(
        _ action: DecisionAction,
        of row: CardRow,
        seen: Int64,
        by origin: AccessOrigin,
        saying sealedMessage: Data?,
        needsSecond: Bool,
        at now: Timestamp
    ) {
        (self.card, self.number, self.action, self.seen) = (row.id, row.number, action, seen)
        (self.subject, self.purpose) = (origin.decider, origin.purpose)
        (self.needsSecond, self.sealedMessage, self.until) = (needsSecond, sealedMessage, now)
    }

    init(_ row: inout Row) throws {
        (self.card, self.number, self.action) = (try row.next(), try row.next(), try row.next())
        (self.subject, self.purpose, self.needsSecond) = (try row.next(), try row.next(), try row.next())
        (self.second, self.secondPurpose, self.until) = (try row.next(), try row.next(), try row.next())
        (self.worker, self.seen, self.sealedMessage) = (try row.next(), try row.next(), try row.next())
    }

    /// Writes it down in place of what stands there of the card.
    func write(in tx: Transaction) throws {
        try self.remove(in: tx)
        try tx.run(
            """
            INSERT INTO decision (card, action, subject, purpose, needs_second, second, second_purpose, until, worker, seen,
                message)
            VALUES (\(self.card), \(self.action), \(self.subject), \(self.purpose), \(self.needsSecond), \(self.second),
                \(self.secondPurpose), \(self.until), \(self.worker), \(self.seen), \(self.sealedMessage))
            """
        )
    }

    /// Lets the card go on.
    func remove(in tx: Transaction) throws {
        try tx.run("DELETE FROM decision WHERE card = \(self.card) AND dropped = 0")
        try Transition.markForDecision(self.number, in: tx)
    }

    static func forget(_ card: CardID, in tx: Transaction) throws {
        try tx.run("DELETE FROM decision WHERE card = \(card) AND dropped = 1")
    }

    /// Has it be carried out by a process after the time in which it can be taken back.
    func undoable(in worker: String, at now: Timestamp) -> Decision {
        var decision = self
        (decision.worker, decision.until) = (worker, now.advanced(by: Limits.undoTime))
        return decision
    }

    /// The same, decided by a second person, too.
    func confirmed(by origin: AccessOrigin) -> Decision {
        var decision = self
        (decision.second, decision.secondPurpose) = (origin.decider, origin.purpose)
        return decision
    }

    /// The second person's word as one of its own.
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

    /// How long it can be taken back.
    var wait: Wait { Wait(from: self.until.advanced(by: .zero - Limits.undoTime), until: self.until) }

    /// What it has come to so far.
    var outcome: DecisionOutcome { self.worker == nil ? .waitsForSecond : .undoable(until: self.until) }

    var pending: FourEyes.Pending {
        FourEyes.Pending(self.action, by: self.subject, second: self.second, needsSecond: self.needsSecond)
    }

    // MARK: Which count

    /// Not one that was dropped, which stands there until the person has been told.
    static let counts: SQL = "decision.dropped = 0"
    static let isUndoable: SQL = "decision.worker IS NOT NULL"
    static let waits: SQL = "decision.needs_second = 1 AND decision.second IS NULL AND decision.dropped = 0"
    static let wasDropped: SQL = "decision.dropped = 1"
    /// Its card has moved since: a word against a card that was never sent holds all the same.
    static let hasLapsed: SQL = """
        decision.seen <> (SELECT max(event.id) FROM event WHERE event.card = decision.card)
        AND (decision.action NOT IN ('reject', 'erase') OR card.delivery IS NOT NULL)
        """
    static let holdsCard: SQL =
        "EXISTS (SELECT 1 FROM decision WHERE decision.card = card.id AND decision.dropped = 0)"
}

extension AccessOrigin {
    /// Who decides: a caller, or the process.
    var decider: String { self.caller?.subject ?? self.actor }
}

/// What a decision of a person came to.
package enum DecisionOutcome: Hashable, Sendable {
    /// It was carried out: where the card stands, and others that this moved.
    case done([CardChange])
    /// It was written down until a second person decides the same.
    case waitsForSecond
    /// It is carried out at this time, unless it is undone before.
    case undoable(until: Timestamp)

    package var changes: [CardChange] { if case .done(let changes) = self { changes } else { [] } }
}

// MARK: Looking

extension CardStore {
    /// Decisions that wait for a second person, oldest first; none for a caller who sees its own cards only.
    package func decisionsWaiting(for caller: Caller, limit: Int) async throws -> [Decision] {
        guard caller.submitter(for: .show) == nil else { return [] }
        return try await self.read { tx in
            let page: SQL = "ORDER BY decision.until LIMIT \(min(limit, Limits.pageSize))"
            return try Decision.all("WHERE \(Decision.waits) AND NOT (\(Decision.hasLapsed)) \(page)", in: tx)
        }
    }

    /// What a person has decided on pages and can still take back, the last first: also what was decided before a restart.
    package func undoable(by caller: Caller) async throws -> [Decision] {
        let own: SQL = "\(Decision.isUndoable) AND coalesce(decision.second, decision.subject) = \(caller.subject)"
        return try await self.read { tx in try Decision.all("WHERE \(own) ORDER BY decision.until DESC", in: tx) }
    }

    /// What a person decided and was dropped, since the card moved on or the rules no longer allow it: told once.
    package func takeDropped(of caller: Caller, now: Timestamp) async throws -> [Decision] {
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

    func lastEvent(of card: CardID, in tx: Transaction) throws -> Int64 {
        try tx.value("SELECT max(id) FROM event WHERE card = \(card)") ?? 0
    }

    func decision(about card: CardID, in tx: Transaction) throws -> Decision? {
        try Decision.all("WHERE decision.card = \(card) AND \(Decision.counts) AND NOT (\(Decision.hasLapsed))", in: tx)
            .first
    }
}
