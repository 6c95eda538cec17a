package import CardModel
import Foundation

/// Where a card goes, and why.
struct Transition {
    let to: CardState
    var reason: ReasonCode?
    var remoteCode: String?
    var message: Message?

    init(_ state: CardState, _ reason: ReasonCode? = nil, _ message: Message? = nil) {
        (self.to, self.reason, self.message) = (state, reason, message)
    }

    /// Where a card goes after a call that failed.
    init(_ state: CardState, _ reason: ReasonCode, _ failure: RemoteFailure) {
        self.init(state, reason, failure.message)
        self.remoteCode = failure.code
    }

    /// Assigns what a card has that did not fail yet and is due.
    static let fresh: SQL = "failures = 0, tries = 0, failed_at = NULL, due_from = NULL, due_at = NULL"

    /// When a card changes: never before the last time that the sandbox has seen, or a clock that is behind would have it expire
    /// as soon as the clock is right again.
    static func date(_ now: Timestamp) -> SQL {
        "(SELECT CASE WHEN seen_at > \(now) THEN seen_at ELSE \(now) END FROM store)"
    }

    /// Marks that the cards of a number are to be looked at, at once whatever the clock says; only one that is `verified` can be
    /// decided.
    static func markForDecision(_ number: BusinessNumber, in tx: Transaction) throws {
        tx.changed.insert(number)
        try tx.run(
            """
            UPDATE cases SET decide_from = 0, decide_at = 0
            WHERE number = \(number) AND decide_at IS NOT 0 AND EXISTS (SELECT 1 FROM card WHERE number = \(number) AND state = 'verified')
            """
        )
    }
}

extension CardStore {
    /// Changes the state of a card: one conditional update with its event, and the mark that its number is to be decided again.
    ///
    /// A card whose key does not open gets no message: nothing can be sealed for it.
    ///
    /// - Parameter assignments: further ones of the same update, led by a comma.
    /// - Throws: `DatabaseError` of kind `statement` if it does not stand where it was read.
    @discardableResult
    func move(_ row: CardRow, _ transition: Transition, also assignments: SQL = "", in tx: Transaction) throws
        -> CardChange
    {
        let sealed = try transition.message.flatMap { message in
            try (try? row.key(self.vault))?.seal(json: message, column: .cardMessage)
        }
        try tx.one(
            """
            UPDATE card SET state = \(transition.to), reason = \(transition.reason), remote_code = \(transition.remoteCode),
            message = \(sealed), worker = NULL, waits = 0, unreadable = 0, seen = 0, beside = NULL,
            changed_at = \(Transition.date(tx.now)) \(assignments)
            WHERE id = \(row.id) AND state = \(row.state)
            """
        )
        try self.note(transition, of: row.id, sealed: sealed, in: tx)
        try Transition.markForDecision(row.number, in: tx)
        return CardChange(
            card: row.id,
            state: transition.to,
            reason: transition.reason,
            remoteCode: transition.remoteCode
        )
    }

    func note(_ transition: Transition, of card: CardID, sealed: Data?, in tx: Transaction) throws {
        try tx.run(
            """
            INSERT INTO event (card, at, state, reason, remote_code, message)
            VALUES (\(card), \(tx.now), \(transition.to), \(transition.reason), \(transition.remoteCode), \(sealed))
            """
        )
    }

    /// Takes the reasons of cards away that wait for something else now, with an event: who follows the changes learns of it.
    func forgetReasons(_ condition: SQL, in tx: Transaction) throws {
        let condition: SQL = "\(condition) AND NOT \(Decision.holdsCard)"
        try tx.run("INSERT INTO event (card, at, state) SELECT id, \(tx.now), state FROM card WHERE \(condition)")
        try tx.run("UPDATE card SET reason = NULL WHERE \(condition)")
    }
}

/// Where a card stands after a change, for progress and reports.
package struct CardChange: Hashable, Sendable {
    package var card: CardID
    package var state: CardState
    package var reason: ReasonCode?
    /// The remote's own code.
    package var remoteCode: String?
}

extension CardChange {
    init(_ row: CardRow) { self.init(card: row.id, state: row.state, reason: row.reason, remoteCode: row.remoteCode) }
}
