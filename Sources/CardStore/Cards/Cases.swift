package import CardModel

/// A case, the cards of a business number, with its status, as lists on the command line and over HTTP show it.
package struct Case: Encodable, Sendable, Record {
    package let businessNo: BusinessNumber
    package let state: CaseState
    /// The reason code of the card that determines the status; `null` if no card does.
    @Nullable package internal(set) var cause: String?
    /// The card that determines the status, and its side.
    @Nullable package internal(set) var cardID: CardID?
    @Nullable package internal(set) var side: CardSide?
    /// Since when the case has had this status and this cause.
    @UTC package internal(set) var since: Timestamp
    private let delivered: [CardSide]
    /// The sides to photograph: without a photo that was delivered or may still be; none of a case that ended.
    package internal(set) var missing: [CardSide]
    /// What is wrong and what to do, without personal values.
    @InWords package internal(set) var message: Message?
    /// What its submitter does, in words.
    @InWords package internal(set) var todo: Message?

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
    /// Stores the status of the cases whose cards a transaction changed; called before the commit.
    static func setCaseStates(in tx: Transaction) throws {
        let numbers = tx.changed
        tx.changed = []
        for number in numbers { try Self.setState(of: number, in: tx) }
    }

    /// Stores the status of all cases, after a restore has changed cards directly.
    static func setAllCaseStates(in tx: Transaction) throws {
        var last: String? = ""
        while let after = last { last = try Self.setCaseStates(after: after, in: tx) }
    }

    /// Stores the status of the next cases after a number, so that other changes can be made between two pages.
    ///
    /// - Returns: the last number of the page; `nil` if there are no more cases.
    static func setCaseStates(after last: String, in tx: Transaction) throws -> String? {
        let page: SQL = "WHERE number > \(last) ORDER BY number LIMIT \(Limits.rowsPerCheck)"
        let numbers = try tx.values("SELECT number FROM cases \(page)", as: BusinessNumber.self)
        for number in numbers { try Self.setState(of: number, in: tx) }
        return numbers.last?.rawValue
    }

    /// Judges a case by its cards, and stores the status if it changed, and since when.
    private static func setState(of number: BusinessNumber, in tx: Transaction) throws {
        guard let stored = try CaseRow.stored(of: number, in: tx) else { return }
        let current = try CaseRow.current(of: number, in: tx)
        guard current != stored else { return }
        let status = current.status
        var since: SQL = status == nil ? "NULL" : Transition.date(tx.now)
        if status == stored.status { since = "since" }
        try tx.run(
            """
            UPDATE cases SET state = \(status?.state), cause = \(status?.cause), cause_card = \(status?.card),
            since = \(since), foreign_since = \(current.foreignSince) WHERE number = \(number)
            """
        )
    }
}

/// The columns of a case that follow from its cards.
struct CaseRow: Equatable {
    /// The status; `nil` if the case has no cards left that determine one.
    let status: CaseStatus?
    /// Since when another submitter's photo has waited for a person's permission; `nil` also if the status of the case already
    /// asks for a person.
    let foreignSince: Timestamp?

    /// Selects photos of another submitter that wait for permission; they do not affect the status of the case.
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
        let foreign: SQL = "\(Self.isForeign) AND \(SandboxListings.needsPerson)"
        let waiting: SQL = "SELECT changed_at FROM card WHERE number = \(number) AND \(foreign)"
        return CaseRow(status: status, foreignSince: try tx.values(waiting, as: Timestamp.self).min())
    }

    private static func status(of number: BusinessNumber, in tx: Transaction) throws -> CaseStatus? {
        let own: SQL = "FROM cases WHERE number = \(number)"
        let sides = try tx.row("SELECT front_delivered, back_delivered \(own)", Case.delivered) ?? []
        let isRejected = try tx.exists("SELECT 1 \(own) AND ended = 1")
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

    /// Selects the cards that can determine the status of a case: there may be thousands of delivered or superseded ones, of
    /// which only the newest count.
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
        // A state that this build does not know counts as no status.
        let state = try row.next(String?.self).flatMap(CaseState.init)
        let (card, cause): (CardID?, String?) = (try row.next(), try row.next())
        self.status = state.map { CaseStatus($0, card: card, cause: cause) }
        self.foreignSince = try row.next()
    }
}
