package import CardModel
import Foundation

/// What stands in the sandbox of a decision: a claim, a decision of a page that can still be undone, or one that waits for a
/// second person. A card has one at most.
package struct PendingDecision: Hashable, Sendable, Record {
    package let card: CardID
    package let number: BusinessNumber
    /// Who has claimed the card, or decided.
    package var subject: String
    /// `nil` for a claim.
    package var action: DecisionAction?
    /// Why; empty for a claim.
    package var purpose: String
    /// When the claim ends, or the decision is carried out; of one that waits for a second person, since when.
    package var until: Timestamp
    package var waitsForSecond = false
    /// The tab of the page; empty for a command.
    var tab: String
    /// The last event of the card that the person saw.
    var seen: Int64
    var sealedMessage: Data?
    /// Who decided the same first, once a second person has.
    var proposer: String?

    static let messageColumn = "decision.message"
    static let columns: SQL = """
        decision.card, card.number, decision.subject, decision.tab, decision.action, decision.seen, decision.message,
        decision.purpose, decision.until, decision.second, decision.proposer
        """
    static let tables: SQL = "decision JOIN card ON card.id = decision.card"

    init(
        of row: CardRow,
        seen: Int64,
        _ action: DecisionAction?,
        by origin: AccessOrigin,
        tab: String = "",
        until: Timestamp
    ) {
        (self.card, self.number, self.seen, self.action, self.until) = (row.id, row.number, seen, action, until)
        self.tab = tab
        // Why a card is claimed is asked and kept when something is decided.
        (self.subject, self.purpose) = (origin.decider, action == nil ? "" : origin.purpose)
    }

    init(_ row: inout Row) throws {
        (self.card, self.number, self.subject) = (try row.next(), try row.next(), try row.next())
        (self.tab, self.action, self.seen) = (try row.next(), try row.next(), try row.next())
        (self.sealedMessage, self.purpose, self.until) = (try row.next(), try row.next(), try row.next())
        (self.waitsForSecond, self.proposer) = (try row.next(), try row.next())
    }

    /// Writes it down in place of what stands there of the card.
    func write(in tx: Transaction) throws {
        try tx.run("DELETE FROM decision WHERE card = \(self.card)")
        try tx.run(
            """
            INSERT INTO decision (card, subject, tab, action, seen, message, purpose, until, second, proposer)
            VALUES (\(self.card), \(self.subject), \(self.tab), \(self.action), \(self.seen), \(self.sealedMessage),
            \(self.purpose), \(self.until), \(self.waitsForSecond), \(self.proposer))
            """
        )
    }

    /// Who was the first of two persons.
    package var first: String? { self.waitsForSecond ? self.subject : self.proposer }

    // MARK: Which count

    /// Not for ever, if a clock was ahead that wrote it; processes may differ a little.
    private static func ends(within time: Duration, of now: Timestamp) -> SQL {
        "decision.until > \(now) AND decision.until <= \(now.advanced(by: time * 2))"
    }

    static func isClaim(at now: Timestamp) -> SQL {
        "decision.action IS NULL AND \(Self.ends(within: Limits.claimTime, of: now))"
    }

    private static let isDecided: SQL = "decision.action IS NOT NULL AND decision.second = 0"

    static func canBeUndone(at now: Timestamp) -> SQL {
        "\(Self.isDecided) AND \(Self.ends(within: Limits.undoTime, of: now))"
    }

    static func isDue(at now: Timestamp) -> SQL {
        let latest = now.advanced(by: Limits.undoTime * 2)
        return "\(Self.isDecided) AND (decision.until <= \(now) OR decision.until > \(latest))"
    }

    /// One whose card has moved since has lapsed.
    static let waitsForSecond: SQL = """
        decision.second = 1 AND decision.seen = (SELECT max(event.id) FROM event WHERE event.card = decision.card)
        """

    /// What keeps others from a card: also what is due, until it is carried out.
    static func isInHands(at now: Timestamp) -> SQL { "(\(Self.isClaim(at: now)) OR \(Self.isDecided))" }
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

    /// Where cards stand that it changed.
    package var changes: [CardChange] { if case .done(let changes) = self { changes } else { [] } }
}

// MARK: Four eyes

extension CardStore {
    func lastEvent(of card: CardID, in tx: Transaction) throws -> Int64 {
        try tx.value("SELECT max(id) FROM event WHERE card = \(card)") ?? 0
    }

    /// What stands of a card and keeps others from it.
    func pending(_ card: CardID, in tx: Transaction) throws -> PendingDecision? {
        let counts: SQL = "(\(PendingDecision.isInHands(at: tx.now)) OR \(PendingDecision.waitsForSecond))"
        return try PendingDecision.all("WHERE decision.card = \(card) AND \(counts)", in: tx).first
    }

    /// Lets a decision of a person pass at once, or writes it down until a second person decides the same.
    ///
    /// - Returns: who is to be named in the access log, and what the first person said; `nil` if it waits.
    /// - Throws: `card_conflict` if another person decided something else.
    func confirmed(_ action: DecisionAction, of row: CardRow, by origin: AccessOrigin, in tx: Transaction) throws
        -> (origin: AccessOrigin, said: Data?)?
    {
        guard let subject = origin.caller?.subject, !self.fourEyes.isEmpty else { return (origin, nil) }
        let pending = try self.pending(row.id, in: tx).flatMap { $0.action == nil ? nil : $0 }
        let last = try self.lastEvent(of: row.id, in: tx)
        if let pending, let first = pending.first, first != subject, pending.seen == last {
            guard pending.action == action, pending.waitsForSecond || pending.subject == subject else {
                throw Self.isTaken(pending)
            }
            try tx.run("DELETE FROM decision WHERE card = \(row.id)")
            return (origin.confirming(first), pending.sealedMessage)
        }
        guard self.fourEyes.contains(action) else { return (origin, nil) }
        if let pending, pending.subject != subject { throw Self.isTaken(pending) }
        if pending?.waitsForSecond != true || pending?.action != action {
            try AccessLog.append(.decide, of: [row.id], by: origin, vault: self.vault, in: tx)
            var first = PendingDecision(of: row, seen: last, action, by: origin, until: tx.now)
            first.waitsForSecond = true
            try first.write(in: tx)
        }
        return nil
    }

    /// Takes back what waits for a second person.
    ///
    /// - Throws: `card_conflict` if nothing of this person does.
    func withdraw(_ row: CardRow, by origin: AccessOrigin, in tx: Transaction) throws {
        // Whose token is gone cannot take it back: who may do everything can.
        let isAll = origin.caller?.scopes.contains(.operate) ?? true
        let own: SQL = "card = \(row.id) AND second = 1 AND (subject = \(origin.caller?.subject) OR \(isAll))"
        guard try tx.run("DELETE FROM decision WHERE \(own)") > 0 else {
            throw CodedError(.cardConflict, .conflict, .decisionNone(row.id))
        }
        try AccessLog.append(.decide, of: [row.id], by: origin, vault: self.vault, in: tx)
    }

    static func isTaken(_ pending: PendingDecision) -> CodedError {
        let message: Message =
            if let action = pending.action {
                .decisionOfOther(pending.card, pending.subject, action)
            } else {
                .decisionClaimed(pending.card, pending.subject, until: pending.until)
            }
        return CodedError(.cardConflict, .conflict, message)
    }

    /// Decisions that wait for a second person, oldest first; none for a caller who sees its own cards only.
    package func decisionsWaiting(for caller: Caller, limit: Int) async throws -> [PendingDecision] {
        guard caller.submitter(for: .show) == nil else { return [] }
        return try await self.read { tx in
            let page: SQL = "ORDER BY decision.until LIMIT \(min(limit, Limits.pageSize))"
            return try PendingDecision.all("WHERE \(PendingDecision.waitsForSecond) \(page)", in: tx)
        }
    }
}
