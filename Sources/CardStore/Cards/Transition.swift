package import CardModel
import Foundation

/// A change of a card's state, with the reason.
struct Transition {
    let to: CardState
    var reason: ReasonCode?
    var remoteCode: String?
    var message: Message?
    /// Whether only the event has the message, and only callers who see all cards read it.
    var isForReviewers = false

    init(_ state: CardState, _ reason: ReasonCode? = nil, _ message: Message? = nil) {
        (self.to, self.reason, self.message) = (state, reason, message)
    }

    /// Creates the transition of a card after a failed call.
    init(_ state: CardState, _ reason: ReasonCode, _ failure: RemoteFailure) {
        self.init(state, reason, failure.message)
        self.remoteCode = failure.code
    }

    /// Assigns the values of a card that is due at once and has not failed.
    static let fresh: SQL = "failures = 0, tries = 0, failed_at = NULL, due_from = NULL, due_at = NULL"

    /// The time of a change, at least `store.seen_at`, the last time known to be right: a card dated too early by a slow clock
    /// would expire as soon as the clock is right again.
    static func date(_ now: Timestamp) -> SQL {
        "(SELECT CASE WHEN seen_at > \(now) THEN seen_at ELSE \(now) END FROM store)"
    }

    /// Raises the revision of a case, which makes proposals for it invalid. If the case has a `verified` card, which the rules
    /// can decide, marks it as due for decision at once (time 0, so that a wrong clock does not matter).
    ///
    /// - Parameter isIgnored: whether the rules ignore the card that changed, so that there is nothing to decide.
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
    /// Changes the state of a card, adds the event, and marks the number for a new decision.
    ///
    /// A card whose key cannot be unwrapped gets no message, since nothing can be sealed for it.
    ///
    /// - Parameter assignments: further assignments of the same update, each after a comma.
    /// - Throws: `DatabaseError` of kind `statement` if the state is no longer the one of `row`.
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
            message = \(transition.isForReviewers ? nil : sealed), worker = NULL, waits = 0, unreadable = 0, seen = 0, beside = NULL,
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
    /// - Parameter was: the state before the event; `nil` for the first event of a card.
    func log(_ transition: Transition, from was: CardState?, of card: CardID, sealed: Data?, in tx: Transaction) throws
    {
        try tx.run(
            """
            INSERT INTO event (card, at, was, state, reason, remote_code, message)
            VALUES (\(card), \(tx.now), \(was), \(transition.to), \(transition.reason), \(transition.remoteCode), \(sealed))
            """
        )
    }

    /// Clears the reasons of selected cards, which no longer wait for them; adds events for clients that follow the changes.
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
