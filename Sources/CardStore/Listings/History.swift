package import CardModel
import Foundation

/// Something that happened to a card, a call to an outside service on its behalf, or a person's decision or look.
package struct HistoryEntry: Encodable, Sendable {
    @UTC package internal(set) var at: Timestamp
    /// The state that the card entered, `warning`, `attempt`, `decision`, or `look`: a person saw personal values.
    package let kind: String
    /// The state after it.
    @Nullable package internal(set) var state: CardState?
    /// Why, how the call ended, or what kind of decision it was.
    @Nullable package internal(set) var code: String?
    /// The same in words.
    @InWords package internal(set) var message: Message?
    /// Who decided, and by which command.
    @Nullable package internal(set) var actor: String?
    /// Why, in the words of the person who decided.
    @Nullable package internal(set) var why: String?
    /// The stage of a call, and how it ended; JSON never has them.
    package internal(set) var stage: Stage?
    package internal(set) var failureClass: FailureClass?

    private enum CodingKeys: CodingKey {
        case at, kind, state, code, message, actor, why
    }
}

extension SandboxListings {
    /// Returns what happened to a card, oldest first.
    ///
    /// - Parameters:
    ///   - key: `nil` for a history without words.
    ///   - reveals: whether these show personal values.
    ///   - seesAll: whether decisions and looks are included.
    func history(of card: CardID, key: CardKey?, reveals: Bool, seesAll: Bool, in tx: Transaction) throws
        -> [HistoryEntry]
    {
        let calls = try self.calls(for: card, in: tx)
        let decisions = seesAll ? try self.decisions(about: card, in: tx) : []
        let events = try self.events(of: card, key: key, reveals: reveals, seesAll: seesAll, in: tx)
        // The sort is stable: an event comes after the attempt or decision that led to it.
        return (calls + decisions + events).sorted { $0.at < $1.at }
    }

    private func events(of card: CardID, key: CardKey?, reveals: Bool, seesAll: Bool, in tx: Transaction) throws
        -> [HistoryEntry]
    {
        var before: CardState?
        var events: SQL = "SELECT at, state, coalesce(remote_code, reason), message FROM event WHERE card = \(card)"
        if !seesAll { events = "\(events) AND coalesce(reason, '') NOT IN \(list: Array(ReasonCode.forReviewers))" }
        return try tx.rows("\(events) ORDER BY id") { row in
            let (at, state) = (try row.next(Timestamp.self), try row.next(CardState.self))
            // The warning of a rule does not change the state of the card.
            let kind = state == before ? "warning" : state.rawValue
            before = state
            let code: String? = try row.next()
            let reason = code.map(ReasonCode.init(rawValue:))
            let isForReviewers = !seesAll && reason.map(ReasonCode.byPerson.contains) == true
            let sealed: Data? = try row.next()
            let message: Message? =
                isForReviewers ? nil : sealed.flatMap { try? key?.open(json: $0, column: .cardMessage) }
            return HistoryEntry(at: at, kind: kind, state: state, code: code, message: message?.shown(reveals))
        }
    }

    /// The calls to outside services, of its deliveries too.
    private func calls(for card: CardID, in tx: Transaction) throws -> [HistoryEntry] {
        try tx.rows(
            """
            SELECT stage, started_at, ended_at, class, code FROM attempt
            WHERE subject = \(card) OR subject IN (SELECT delivery FROM delivery_card WHERE card = \(card)) ORDER BY id
            """
        ) { row in
            let (stage, startedAt) = (try row.next(Stage.self), try row.next(Timestamp.self))
            let (endedAt, end): (Timestamp?, FailureClass?) = (try row.next(), try row.next())
            let accepted = end == .accepted ? (stage == .deliver ? "accepted" : "ok") : nil
            let code = try row.next() ?? accepted ?? (endedAt == nil ? "under way" : nil)
            return HistoryEntry(at: endedAt ?? startedAt, kind: "attempt", code: code, stage: stage, failureClass: end)
        }
    }

    /// The decisions of people, and the accesses to personal values.
    private func decisions(about card: CardID, in tx: Transaction) throws -> [HistoryEntry] {
        let shown = AccessAction.looks + [.retry, .resolve, .decide]
        return try AccessRecord.all("WHERE card = \(card) AND action IN \(list: shown) ORDER BY at, number", in: tx)
            .map { line in
                let isLook = AccessAction.looks.contains { $0.rawValue == line.action }
                let kind = isLook ? "look" : "decision"
                return HistoryEntry(at: line.at, kind: kind, code: line.action, actor: line.actor, why: line.purpose)
            }
    }
}

extension Message { func shown(_ reveals: Bool) -> Message { reveals ? self : self.withoutPersonalValues } }
