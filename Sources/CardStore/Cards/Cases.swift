package import CardModel

/// Where the cards of a business number stand together.
package struct Case: Hashable, Sendable {
    package let number: BusinessNumber
    package internal(set) var standing: CaseStanding
    /// Since when the case stands there, for this cause.
    package let since: Timestamp
    /// Who sent the first card of the number.
    package let submitter: String
    /// The sides that were delivered.
    package let delivered: Set<CardSide>
    /// The side of the card that is the cause, and what is said of that, if a person is to do something about it.
    var causeSide: CardSide?
    var message: Message?

    static let columns: SQL = "number, submitter, front_delivered, back_delivered, state, cause_card, cause, since"

    init(_ row: inout Row) throws {
        self.number = try row.next()
        self.submitter = try row.next()
        self.delivered = try Self.delivered(&row)
        self.standing = CaseStanding(try row.next(), card: try row.next(), cause: try row.next())
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
    /// Writes down where the cases stand whose cards a transaction changed; what moves a card calls it before its commit.
    static func settleCases(in tx: Transaction) throws {
        for number in tx.changed.drain() { try Self.settle(number, in: tx) }
    }

    /// Writes down where all cases stand, after cards were changed from outside.
    static func settleAllCases(in tx: Transaction) throws {
        for number in try tx.rows("SELECT number FROM cases", { try $0.next(BusinessNumber.self) }) {
            try Self.settle(number, in: tx)
        }
    }

    /// Writes down where a case stands, and since when if that is new.
    private static func settle(_ number: BusinessNumber, in tx: Transaction) throws {
        guard let standing = try Self.standing(of: number, in: tx) else { return }
        try tx.run(
            """
            UPDATE cases SET state = \(standing?.state), cause = \(standing?.cause), cause_card = \(standing?.card),
            since = \(standing == nil ? nil : tx.now)
            WHERE number = \(number) AND (state IS NOT \(standing?.state) OR cause IS NOT \(standing?.cause)
            OR cause_card IS NOT \(standing?.card))
            """
        )
    }

    /// Judges a case by its cards; an inner `nil` if nothing is left of it, an outer one if there is no such number.
    ///
    /// - Parameter submitter: whose cards alone count; `nil` for all.
    static func standing(of number: BusinessNumber, of submitter: String? = nil, in tx: Transaction) throws
        -> CaseStanding??
    {
        let delivered = try tx.row(
            "SELECT front_delivered, back_delivered FROM cases WHERE number = \(number)"
        ) { try Case.delivered(&$0) }
        guard let delivered else { return nil }
        let cards = try tx.rows(
            """
            SELECT id, state, reason, remote_code, coalesce(side, expected_side), intake_order, seen, \(CardRow.isRetaken)
            FROM card WHERE number = \(number) AND (\(submitter) IS NULL OR submitter = \(submitter))
            """
        ) { row in
            CaseCard(
                id: try row.next(),
                state: try row.next(),
                reason: try row.next(),
                remoteCode: try row.next(),
                side: try row.next(),
                order: try row.next(),
                isSeen: try row.next(),
                isRetaken: try row.next()
            )
        }
        return .some(CaseStanding(of: cards, delivered: delivered))
    }
}
