package import CardModel

/// The cards of a business number as one case, with its status.
package struct Case: Hashable, Sendable, Record {
    package let number: BusinessNumber
    package internal(set) var status: CaseStatus
    /// Since when the case has had this status, for this cause.
    package internal(set) var since: Timestamp
    /// The submitter of the first card of the number.
    package let submitter: String
    package let delivered: Set<CardSide>
    /// The sides of which a photo was delivered or may still be.
    var present: Set<CardSide>
    /// The side of the card that is the cause, and its message, if a person must do something about it.
    var causeSide: CardSide?
    var message: Message?

    static let columns: SQL = "number, submitter, front_delivered, back_delivered, state, cause_card, cause, since"
    static let tables: SQL = "cases"

    init(_ row: inout Row) throws {
        self.number = try row.next()
        self.submitter = try row.next()
        self.delivered = try Self.delivered(&row)
        self.present = self.delivered
        self.status = CaseStatus(try row.next(), card: try row.next(), cause: try row.next())
        self.since = try row.next()
    }

    /// Reads `front_delivered, back_delivered`.
    static func delivered(_ row: inout Row) throws -> Set<CardSide> {
        var sides: Set<CardSide> = []
        if try row.next(Int64?.self) != nil { sides.insert(.front) }
        if try row.next(Int64?.self) != nil { sides.insert(.back) }
        return sides
    }
}

// MARK: Setting

extension CardStore {
    /// Stores the status of the cases whose cards a transaction changed; called before its commit.
    static func setCaseStates(in tx: Transaction) throws {
        let numbers = tx.changed
        tx.changed = []
        for number in numbers { try Self.setState(of: number, in: tx) }
    }

    /// Stores the status of all cases, after cards were changed from outside.
    static func setAllCaseStates(in tx: Transaction) throws {
        var last: String? = ""
        while let after = last { last = try Self.setCaseStates(after: after, in: tx) }
    }

    /// Stores the status of a page of cases, those after a number: between pages others may write.
    ///
    /// - Returns: the last of them; `nil` if there are no more.
    static func setCaseStates(after last: String, in tx: Transaction) throws -> String? {
        let page: SQL = "WHERE number > \(last) ORDER BY number LIMIT \(Limits.rowsPerCheck)"
        let numbers = try tx.values("SELECT number FROM cases \(page)", as: BusinessNumber.self)
        for number in numbers { try Self.setState(of: number, in: tx) }
        return numbers.last?.rawValue
    }

    /// Stores the status of a case, and since when, if it changed.
    private static func setState(of number: BusinessNumber, in tx: Transaction) throws {
        guard let stored = try CaseRow.stored(of: number, in: tx) else { return }
        let now = try CaseRow.current(of: number, in: tx)
        guard now != stored else { return }
        let since: SQL = now.status == stored.status ? "since" : now.status == nil ? "NULL" : Transition.date(tx.now)
        try tx.run(
            """
            UPDATE cases SET state = \(now.status?.state), cause = \(now.status?.cause), cause_card = \(now.status?.card),
            since = \(since), foreign_since = \(now.foreignSince) WHERE number = \(number)
            """
        )
    }
}

/// What a case stores about its cards: its status, which is `nil` if nothing is left of it, and since when another submitter's
/// photo waits for a person's permission.
struct CaseRow: Equatable {
    let status: CaseStatus?
    let foreignSince: Timestamp?

    /// Selects another submitter's photos that wait; they are no part of the case's status.
    static let isForeign: SQL = "card.state = \(literal: .held) AND card.reason = \(ReasonCode.submitterConflict)"

    static func stored(of number: BusinessNumber, in tx: Transaction) throws -> CaseRow? {
        try tx.row("SELECT \(Self.columns) FROM cases WHERE number = \(number)") { try CaseRow(&$0) }
    }

    static let columns: SQL = "state, cause_card, cause, foreign_since"

    init(_ row: inout Row) throws {
        // An unknown state counts as none.
        let state = try row.next(String?.self).flatMap(CaseState.init)
        let (card, cause): (CardID?, String?) = (try row.next(), try row.next())
        self.status = state.map { CaseStatus($0, card: card, cause: cause) }
        self.foreignSince = try row.next()
    }

    private init(_ status: CaseStatus?, foreignSince: Timestamp?) {
        (self.status, self.foreignSince) = (status, foreignSince)
    }

    /// Judges a case by its cards.
    static func current(of number: BusinessNumber, in tx: Transaction) throws -> CaseRow {
        let waiting: SQL = "SELECT changed_at FROM card WHERE number = \(number) AND \(Self.isForeign) AND seen = 0"
        return CaseRow(
            try Self.status(of: number, in: tx),
            foreignSince: try tx.values(waiting, as: Timestamp.self).min()
        )
    }

    private static func status(of number: BusinessNumber, in tx: Transaction) throws -> CaseStatus? {
        var delivered: Set<CardSide> = []
        let cards: [CaseCard?] = try tx.rows(
            """
            SELECT front_delivered, back_delivered, id, card.state, reason, remote_code, coalesce(side, expected_side),
            intake_order, taken, seen, \(CardRow.isRetaken) FROM cases LEFT JOIN card ON card.number = cases.number
            AND card.state <> \(literal: .erased) AND card.beside IS NULL AND NOT (\(Self.isForeign))
            AND \(Self.counts(in: number)) WHERE cases.number = \(number)
            """
        ) { row in
            delivered = try Case.delivered(&row)
            guard let id = try row.next(CardID?.self) else { return nil }
            return CaseCard(
                id: id,
                state: try row.next(),
                reason: try row.next(),
                remoteCode: try row.next(),
                side: try row.next(),
                age: PhotoAge(order: try row.next(), taken: try row.next()),
                isSeen: try row.next(),
                isRetaken: try row.next()
            )
        }
        return CaseStatus(of: cards.compactMap(\.self), delivered: delivered)
    }

    /// Selects the cards that determine the status of a case: of thousands of delivered or superseded ones, the newest.
    private static func counts(in number: BusinessNumber) -> SQL {
        let (past, newest): (SQL, SQL) = (
            "\(literals: .delivered, .superseded)", PhotoAge.isNewestDelivered(of: number)
        )
        return """
            (card.state NOT IN \(past) OR \(newest) OR card.intake_order = (
                SELECT max(intake_order) FROM card WHERE number = \(number) AND state = \(literal: .superseded)
            ))
            """
    }
}
