import CardModel

// The ages of photos in queries.
extension PhotoAge {
    /// The columns of `cases` with the newest delivered photo of each side, in the order of the sides.
    static let deliveredColumns: SQL = "front_delivered, front_taken, back_delivered, back_taken"

    /// Reads an order and a time; `nil` if there is no such photo.
    init?(_ row: inout Row) throws {
        let (order, taken) = (try row.next(Int64?.self), try row.next(Timestamp?.self))
        guard let order else { return nil }
        self.init(order: order, taken: taken)
    }

    /// The columns with the order and time of a side's newest delivered photo; the order is 0 if there is none.
    static func delivered(_ side: SQL, of table: SQL) -> (order: SQL, taken: SQL) {
        ("coalesce(\(table).\(side)_delivered, 0)", "\(table).\(side)_taken")
    }

    /// Selects the newest delivered photo of each side of a number.
    static func isNewestDelivered(of number: BusinessNumber) -> SQL {
        """
        card.intake_order IN (SELECT front_delivered FROM cases WHERE number = \(number)
        UNION ALL SELECT back_delivered FROM cases WHERE number = \(number))
        """
    }

    /// ``isNewer(than:)`` as SQL, for columns with order and time.
    static func isNewer(_ one: (order: SQL, taken: SQL), than other: (order: SQL, taken: SQL)) -> SQL {
        """
        CASE WHEN abs(\(one.taken) - \(other.taken)) > \(Self.leastDifference) THEN \(one.taken) > \(other.taken)
        ELSE \(one.order) > \(other.order) END
        """
    }
}

extension CardRecords {
    /// The newest photo of a side that was delivered, erased or not.
    func delivered(_ side: CardSide, of number: BusinessNumber, in tx: Transaction) throws -> PhotoAge? {
        let ages = try tx.row("SELECT \(PhotoAge.deliveredColumns) FROM cases WHERE number = \(number)") { row in
            try CardSide.allCases.map { ($0, try PhotoAge(&row)) }
        }
        return ages?.first { $0.0 == side }?.1
    }
}
