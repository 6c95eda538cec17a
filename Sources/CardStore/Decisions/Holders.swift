import CardModel
import Foundation

// The holders that the fronts of a number name.
extension SandboxDecisions {
    /// Clears the holder of a rejected front; if the other fronts name one person, releases the cards that the dispute held.
    ///
    /// - Returns: the cards that were released.
    func forgetHolder(of row: CardRow, in tx: Transaction) throws -> [CardID] {
        let number = row.number
        guard let holder: Data = try tx.value("SELECT holder FROM card WHERE id = \(row.id)") else { return [] }
        try tx.run("UPDATE card SET holder = NULL WHERE id = \(row.id)")
        // The holder of an erased delivered front is unknown: no other front is surely of that person.
        let isSilent = try tx.exists(
            """
            SELECT 1 FROM cases WHERE number = \(number) AND front_delivered IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM card WHERE card.number = cases.number AND intake_order = front_delivered
                AND (holder IS NOT NULL OR state <> \(literal: .erased))
            )
            """
        )
        let named: Data? = try tx.value("SELECT holder FROM cases WHERE number = \(number)")
        let first: SQL = "SELECT holder FROM card WHERE number = \(number) AND holder IS NOT NULL"
        let left: Data? = named == holder && !isSilent ? try tx.value("\(first) ORDER BY intake_order LIMIT 1") : named
        try tx.run(
            """
            UPDATE cases SET holder = \(left), disputed = CASE WHEN disputed = 1 AND EXISTS (
                SELECT 1 FROM card WHERE card.number = cases.number AND (card.holder <> \(left) OR \(isSilent) = 1 AND holder IS NOT NULL)
            ) THEN 1 ELSE 0 END WHERE number = \(number)
            """
        )
        return try self.releaseDisputed(number, in: tx)
    }

    /// Releases the cards that a dispute held, if it is over.
    @discardableResult
    func releaseDisputed(_ number: BusinessNumber, in tx: Transaction) throws -> [CardID] {
        try Transition.markForDecision(number, in: tx)
        guard try tx.exists("SELECT 1 FROM cases WHERE number = \(number) AND disputed = 0") else { return [] }
        // A decision that a person has made about one of them is carried out instead.
        let held: SQL = """
            card.state = \(literal: .held) AND card.reason = \(ReasonCode.holderConflict) AND NOT \(Decision.holdsCard)
            """
        let own: SQL = "WHERE card.number = \(number) AND \(held) ORDER BY card.intake_order"
        return try CardRow.all(own, in: tx).map { row in
            try self.records.move(row, Transition(.verified), also: ", \(Transition.fresh)", in: tx).card
        }
    }

    /// Whether the fronts of a card's case name several persons, and the card is one of these fronts.
    func isInDispute(_ row: CardRow, in tx: Transaction) throws -> Bool {
        try tx.exists(
            """
            SELECT 1 FROM cases JOIN card ON card.number = cases.number
            WHERE card.id = \(row.id) AND card.holder IS NOT NULL AND cases.disputed = 1
            """
        )
    }

    /// Ends a dispute: the person on a front is the customer. Fronts of others are rejected; one that the backend may have names
    /// no holder from then on.
    ///
    /// - Returns: the cards that were rejected or released.
    func nameCustomer(on row: CardRow, by person: String, in tx: Transaction) throws -> [CardID] {
        let (number, holder): (BusinessNumber, Data?) = (
            row.number, try tx.value("SELECT holder FROM card WHERE id = \(row.id)")
        )
        let others = try CardRow.all(
            "WHERE card.number = \(number) AND card.holder <> \(holder) ORDER BY card.intake_order",
            in: tx
        )
        var moved: [CardID] = []
        for var other in others {
            if other.state == .delivering, try self.sandbox.deliveries.dissolveUnapplied(other, in: tx) {
                other = try CardRow.require(other.id, in: tx)
            }
            let isOpen = [.fetching, .received, .prepared, .verified, .failed, .held].contains(other.state)
            let isHeldByBackend = other.reason.map(ReasonCode.perhapsDelivered.contains) ?? false
            if isOpen, !isHeldByBackend, try !self.records.mayBeAtBackend(other.id, in: tx) {
                try self.rejectBeside(other, by: person, in: tx)
                moved.append(other.id)
            } else if other.state == .delivered || other.state == .delivering || isHeldByBackend {
                let disowned = Transition(other.state, .holderDisowned)
                try self.records.log(disowned, from: other.state, of: other.id, sealed: nil, in: tx)
            }
            try tx.run("UPDATE card SET holder = NULL WHERE id = \(other.id)")
        }
        try tx.run("UPDATE cases SET holder = \(holder), disputed = 0 WHERE number = \(number)")
        return try moved + self.releaseDisputed(number, in: tx)
    }
}
