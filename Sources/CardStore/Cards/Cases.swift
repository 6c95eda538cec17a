package import CardModel

/// The cards of a business number as one case with its status, as lists show it: the command line and HTTP write the same.
package struct Case: Encodable, Sendable, Record {
    package let businessNo: BusinessNumber
    package let state: CaseState
    /// The first cause; `null` if no card is the cause.
    @Nullable package internal(set) var cause: String?
    /// The card that is the cause, and its side.
    @Nullable package internal(set) var cardID: CardID?
    @Nullable package internal(set) var side: CardSide?
    /// Since when the case has had this status, for this cause.
    @UTC package internal(set) var since: Timestamp
    private let delivered: [CardSide]
    /// The sides to photograph: without a photo that was delivered or may still be; none of a case that ended.
    package internal(set) var missing: [CardSide]
    /// The issue and what to do, without personal values.
    @InWords package internal(set) var message: Message?

    static let columns: SQL = "number, front_delivered, back_delivered, state, cause_card, cause, since"
    static let tables: SQL = "cases"

    init(_ row: inout Row) throws {
        self.businessNo = try row.next()
        let delivered = try Self.delivered(&row)
        (self.delivered, self.state) = (delivered, try row.next())
        let hasEnded = self.state == .rejected || self.state == .erased
        self.missing = hasEnded ? [] : CardSide.allCases.filter { !delivered.contains($0) }
        (self.cardID, self.cause) = (try row.next(), try row.next())
        self.since = try row.next()
    }

    /// Reads `front_delivered, back_delivered`.
    static func delivered(_ row: inout Row) throws -> [CardSide] {
        try CardSide.allCases.filter { _ in try row.next(Int64?.self) != nil }
    }
}

// MARK: Setting

extension CaseRow {
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

/// What a case stores about its cards.
struct CaseRow: Equatable {
    /// `nil` if nothing is left of it.
    let status: CaseStatus?
    /// Since when another submitter's photo waits for a person's permission; `nil` if the case is reviewed anyway.
    let foreignSince: Timestamp?

    /// Selects another submitter's photos that wait; they are no part of the case's status.
    static let isForeign: SQL = "card.state = \(literal: .held) AND card.reason = \(ReasonCode.submitterConflict)"

    static func stored(of number: BusinessNumber, in tx: Transaction) throws -> CaseRow? {
        try tx.row("SELECT \(Self.columns) FROM cases WHERE number = \(number)") { try CaseRow(&$0) }
    }

    static let columns: SQL = "state, cause_card, cause, foreign_since"

    /// Judges a case by its cards.
    static func current(of number: BusinessNumber, in tx: Transaction) throws -> CaseRow {
        let status = try Self.status(of: number, in: tx)
        if let status, SandboxDecisions.states.contains(status.state) {
            return CaseRow(status: status, foreignSince: nil)
        }
        let waiting: SQL = "SELECT changed_at FROM card WHERE number = \(number) AND \(Self.isForeign) AND seen = 0"
        return CaseRow(status: status, foreignSince: try tx.values(waiting, as: Timestamp.self).min())
    }

    private static func status(of number: BusinessNumber, in tx: Transaction) throws -> CaseStatus? {
        let own: SQL = "FROM cases WHERE number = \(number)"
        let sides = try tx.row("SELECT front_delivered, back_delivered \(own)", Case.delivered) ?? []
        let isRejected = try tx.exists("SELECT 1 \(own) AND rejected_order IS NOT NULL")
        var cards = try CardRow.all(
            """
            WHERE card.number = \(number) AND card.state <> \(literal: .erased) AND card.beside IS NULL
            AND NOT (\(Self.isForeign)) AND \(Self.counts(in: number))
            """,
            in: tx
        )
        if cards.isEmpty {
            let erased: SQL = "card.number = \(number) AND card.state = \(literal: .erased) AND card.beside IS NULL"
            cards = try CardRow.all("WHERE \(erased) LIMIT 1", in: tx)
        }
        return CaseStatus(of: cards.map(\.bare), delivered: Set(sides), isRejected: isRejected)
    }

    /// Selects the cards that determine the status of a case: of thousands of delivered or superseded ones, the newest.
    private static func counts(in number: BusinessNumber) -> SQL {
        """
        (card.state NOT IN \(literals: .delivered, .superseded) OR \(PhotoAge.isNewestDelivered(of: number))
        OR card.intake_order = (
            SELECT max(intake_order) FROM card WHERE number = \(number) AND state = \(literal: .superseded)
        ))
        """
    }
}

extension CaseRow {
    init(_ row: inout Row) throws {
        // An unknown state counts as none.
        let state = try row.next(String?.self).flatMap(CaseState.init)
        let (card, cause): (CardID?, String?) = (try row.next(), try row.next())
        self.status = state.map { CaseStatus($0, card: card, cause: cause) }
        self.foreignSince = try row.next()
    }
}
