import CardModel
import Foundation

/// A change of a card's state: one conditional update with its event, and the mark that its number is to be decided again.
struct Transition {
    let card: CardID
    let from: CardState
    let to: CardState
    var reason: ReasonCode?
    var remoteCode: String?
    var message: Message?

    init(
        _ card: CardID,
        from: CardState,
        to: CardState,
        reason: ReasonCode? = nil,
        remoteCode: String? = nil,
        message: Message? = nil
    ) {
        self.card = card
        self.from = from
        self.to = to
        self.reason = reason
        self.remoteCode = remoteCode
        self.message = message
    }

    /// Makes the change in the transaction of what causes it.
    ///
    /// - Parameters:
    ///   - also: further assignments of the same update, each led by a comma.
    ///   - key: seals the message; without one, of a card whose key is damaged, there is none.
    /// - Throws: `DatabaseError` of kind `constraint` if the card does not stand where it was.
    func perform(also assignments: SQL = "", number: BusinessNumber, key: CardKey?, now: Timestamp, in tx: Transaction)
        throws
    {
        let sealed = try self.message.flatMap { try key?.seal(json: $0, column: CardRow.messageColumn) }
        try tx.one(
            """
            UPDATE card SET state = \(self.to), reason = \(self.reason), remote_code = \(self.remoteCode), message = \(sealed),
            worker = NULL, changed_at = \(Self.date(now)) \(assignments)
            WHERE id = \(self.card) AND state = \(self.from)
            """
        )
        try self.note(sealed: sealed, now: now, in: tx)
        try Self.markForDecision(number, in: tx)
    }

    /// When a card changes: never before the last time that the sandbox has seen, or a clock that is behind would have it expire
    /// as soon as the clock is right again.
    static func date(_ now: Timestamp) -> SQL {
        "(SELECT CASE WHEN seen_at > \(now) THEN seen_at ELSE \(now) END FROM store)"
    }

    /// Writes the event of a card that is new.
    func note(sealed: Data?, now: Timestamp, in tx: Transaction) throws {
        try tx.run(
            """
            INSERT INTO event (card, at, state, reason, remote_code, message)
            VALUES (\(self.card), \(now), \(self.to), \(self.reason), \(self.remoteCode), \(sealed))
            """
        )
    }

    /// Marks that the cards of a number are to be looked at, at once whatever the clock says; only one that is `verified` can be
    /// decided.
    static func markForDecision(_ number: BusinessNumber, in tx: Transaction) throws {
        try tx.run(
            """
            UPDATE application SET decide_at = 0
            WHERE number = \(number) AND EXISTS (SELECT 1 FROM card WHERE number = \(number) AND state = 'verified')
            """
        )
    }
}
