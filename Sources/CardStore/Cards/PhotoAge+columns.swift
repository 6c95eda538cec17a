import CardModel

// The ages of photos in queries.
extension PhotoAge {
    /// The columns of a number from which the newest photos that were delivered are read, one for each side in its order.
    static let deliveredColumns: SQL = "front_delivered, front_taken, back_delivered, back_taken"

    /// Reads an order and a time; `nil` if there is no such photo.
    init?(_ row: inout Row) throws {
        let (order, taken) = (try row.next(Int64?.self), try row.next(Timestamp?.self))
        guard let order else { return nil }
        self.init(order: order, taken: taken)
    }

    /// The newest photo of a side that was delivered as a table of numbers has it; its order is 0 if there is none.
    static func delivered(_ side: SQL, of table: SQL) -> (order: SQL, taken: SQL) {
        ("coalesce(\(table).\(side)_delivered, 0)", "\(table).\(side)_taken")
    }

    /// Selects of the photos of a number that were delivered the newest of each side: of others nothing depends.
    static func isNewestDelivered(of number: BusinessNumber) -> SQL {
        """
        card.intake_order IN (SELECT front_delivered FROM cases WHERE number = \(number)
        UNION ALL SELECT back_delivered FROM cases WHERE number = \(number))
        """
    }

    /// `isNewer(than:)` in SQL, of columns.
    static func isNewer(_ one: (order: SQL, taken: SQL), than other: (order: SQL, taken: SQL)) -> SQL {
        """
        CASE WHEN abs(\(one.taken) - \(other.taken)) > \(Self.leastDifference) THEN \(one.taken) > \(other.taken)
        ELSE \(one.order) > \(other.order) END
        """
    }
}

extension CardStore {
    /// The newest photo of a side that was delivered, erased or not.
    func delivered(_ side: CardSide, of number: BusinessNumber, in tx: Transaction) throws -> PhotoAge? {
        let ages = try tx.row("SELECT \(PhotoAge.deliveredColumns) FROM cases WHERE number = \(number)") { row in
            try CardSide.allCases.map { ($0, try PhotoAge(&row)) }
        }
        return ages?.first { $0.0 == side }?.1
    }
}
