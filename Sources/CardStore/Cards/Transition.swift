package import CardModel
import Foundation

/// A change of a card's state, and why.
struct Transition {
    let to: CardState
    var reason: ReasonCode?
    var remoteCode: String?
    var message: Message?

    init(_ state: CardState, _ reason: ReasonCode? = nil, _ message: Message? = nil) {
        (self.to, self.reason, self.message) = (state, reason, message)
    }

    /// Creates the transition of a card after a failed call.
    init(_ state: CardState, _ reason: ReasonCode, _ failure: RemoteFailure) {
        self.init(state, reason, failure.message)
        self.remoteCode = failure.code
    }

    /// Assigns the values of a card that is due and has not failed.
    static let fresh: SQL = "failures = 0, tries = 0, failed_at = NULL, due_from = NULL, due_at = NULL"

    /// The time of a change, never before `store.seen_at`: a slow clock must not make a card expire as soon as the clock is right
    /// again.
    static func date(_ now: Timestamp) -> SQL {
        "(SELECT CASE WHEN seen_at > \(now) THEN seen_at ELSE \(now) END FROM store)"
    }

    /// Raises the revision of a case, so that what was proposed for it no longer holds, and marks it for decision, at once
    /// whatever the clock says, if it has a `verified` card: only such cards can be decided.
    ///
    /// - Parameter isIgnored: whether the rules do not know the card that changed, so that the case stays as it is.
    static func markForDecision(_ number: BusinessNumber, isIgnored: Bool = false, in tx: Transaction) throws {
        tx.changed.insert(number)
        guard !isIgnored else { return }
        try tx.run("UPDATE cases SET revision = revision + 1 WHERE number = \(number)")
        try tx.run(
            """
            UPDATE cases SET decide_from = 0, decide_at = 0
            WHERE number = \(number) AND decide_at IS DISTINCT FROM 0 AND EXISTS (SELECT 1 FROM card WHERE number = \(number) AND state = \(literal: .verified))
            """
        )
    }
}

extension CardRecords {
    /// Changes the state of a card: one conditional update with its event, and the mark that its number must be decided again.
    ///
    /// A card whose key cannot be unwrapped gets no message: nothing can be sealed for it.
    ///
    /// - Parameter assignments: further ones of the same update, led by a comma.
    /// - Throws: `DatabaseError` of kind `statement` if its state is not the one that was read.
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
        try self.log(transition, from: row.beside == nil ? row.state : nil, of: row.id, sealed: sealed, in: tx)
        let isForeign = row.isIgnored && !transition.to.awaitsVerification
        let waits = transition.reason.map(ReasonCode.letInByPerson.contains) == true
        let isIgnored = isForeign || transition.to == .held && waits
        try Transition.markForDecision(row.number, isIgnored: isIgnored, in: tx)
        return CardChange(card: row.id, state: transition.to, reason: transition.reason)
    }

    /// Adds an event to the history of a card.
    ///
    /// - Parameter was: the state before it; `nil` for the first event of a card.
    func log(_ transition: Transition, from was: CardState?, of card: CardID, sealed: Data?, in tx: Transaction) throws
    {
        try tx.run(
            """
            INSERT INTO event (card, at, was, state, reason, remote_code, message)
            VALUES (\(card), \(tx.now), \(was), \(transition.to), \(transition.reason), \(transition.remoteCode), \(sealed))
            """
        )
    }

    /// Clears the reasons of cards that wait for something else now, with an event for clients that follow the changes.
    func forgetReasons(_ condition: SQL, in tx: Transaction) throws {
        let condition: SQL = "\(condition) AND NOT \(Decision.holdsCard)"
        try tx.run(
            "INSERT INTO event (card, at, was, state) SELECT id, \(tx.now), state, state FROM card WHERE \(condition)"
        )
        try tx.run("UPDATE card SET reason = NULL WHERE \(condition)")
    }
}

/// The state of a card after a change, for progress and reports.
package struct CardChange: Hashable, Sendable {
    package var card: CardID
    package var state: CardState
    package var reason: ReasonCode?
}

extension CardChange { init(_ row: CardRow) { self.init(card: row.id, state: row.state, reason: row.reason) } }
