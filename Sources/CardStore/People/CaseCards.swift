package import CardModel
import Foundation

/// A card among the others of its case.
package struct CaseMember: Sendable {
    package internal(set) var card: Card
    /// The number, from 1, of its person among those that the fronts of the case name; `nil` if all name one.
    package internal(set) var person: Int?
    /// The front that a back was compared with.
    let comparedWith: CardID?
}

extension CardDetails {
    /// The cards that a rule compared it with: front with back, and the fronts that name different persons.
    package var comparedWith: [CardID] {
        let own = self.caseCards.first { $0.card.id == self.card.id }
        return self.caseCards.filter { other in
            guard other.card.id != self.card.id else { return false }
            let isOtherPerson = other.person != nil && other.person != own?.person
            return other.comparedWith == self.card.id || other.card.id == own?.comparedWith
                || self.card.reason == .holderConflict && isOtherPerson
        }
        .map(\.card.id)
    }
}

// What a person needs to know of a card beside the card itself.
extension CardStore {
    /// Returns the cards of a case that a caller may see, in the order of their intake.
    package func caseCards(of number: BusinessNumber, for caller: Caller) async throws -> [CaseMember] {
        try await self.read { tx in try self.caseCards(of: number, for: caller, in: tx) }
    }

    func caseCards(of number: BusinessNumber, for caller: Caller?, in tx: Transaction) throws -> [CaseMember] {
        let own: SQL = """
            WHERE card.number = \(first: number) AND card.beside IS NULL ORDER BY card.intake_order LIMIT \(Limits.pageSize)
            """
        let rows = try CardRow.all(own, in: tx).filter { caller?.sees($0.submitter) ?? true }
        let compared = try tx.rows("SELECT id, holder, compared_with FROM card \(own)") { row in
            (id: try row.next(CardID.self), holder: try row.next(Data?.self), with: try row.next(CardID?.self))
        }
        let facts = Dictionary(uniqueKeysWithValues: compared.map { ($0.id, $0) })
        let holders = rows.compactMap { facts[$0.id]?.holder }
        let persons = holders.indices.filter { holders.firstIndex(of: holders[$0]) == $0 }.map { holders[$0] }
        return rows.map { row in
            let fact = facts[row.id]
            let person = persons.count > 1 ? fact?.holder.flatMap(persons.firstIndex) : nil
            return CaseMember(card: row.shown(self.vault), person: person.map { $0 + 1 }, comparedWith: fact?.with)
        }
    }

    func decisions(about card: CardID, in tx: Transaction) throws -> [AccessRecord] {
        let decisions = AccessAction.looks + [.retry, .resolve, .decide]
        return try AccessRecord.all("WHERE card = \(card) AND action IN \(list: decisions) ORDER BY at, number", in: tx)
    }

    func nextAttempt(of row: CardRow, in tx: Transaction) throws -> Timestamp? {
        switch row.state {
        case .delivering: try tx.value("SELECT due_at FROM delivery WHERE id = \(row.delivery) AND due_at > 0")
        case .verified: try tx.value("SELECT decide_at FROM cases WHERE number = \(row.number) AND decide_at > 0")
        default: row.due?.until
        }
    }

    /// The submitter of the first card of a card's number, and since when, if it is another submitter.
    func owner(other row: CardRow, in tx: Transaction) throws -> (submitter: String, since: Timestamp?)? {
        let owner: String? = try tx.value("SELECT submitter FROM cases WHERE number = \(row.number)")
        guard let owner, owner != row.submitter else { return nil }
        let first: SQL = "SELECT min(created_at) FROM card WHERE number = \(row.number) AND submitter || '' = \(owner)"
        return (owner, try tx.value(first))
    }
}

/// A card among the others of its case, as `cards show`, `cases show` and HTTP write it; without personal values.
package struct CaseCardDocument: Encodable, Sendable {
    package var card: CardDocument
    package let submitter: String
    /// The number, from 1, of its person among those that the fronts of the case name; `nil` if all name one.
    @Nullable package var person: Int?
    /// Why it is in its state, in words.
    @InWords package var message: Message?

    package init(_ member: CaseMember) {
        self.card = CardDocument(member.card)
        self.submitter = member.card.submitter
        self.person = member.person
        self.message = member.card.message?.withoutPersonalValues
    }
}
