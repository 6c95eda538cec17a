package import CardModel
import Foundation

/// Which cases are listed.
package struct CaseFilter: Hashable, Sendable {
    /// Their states; empty for all but `erased`, or of one number for all.
    package var states: [CaseState]
    package var number: BusinessNumber?
    /// The earliest time since when they have had their state.
    package var since: Timestamp?
    /// The code of the card that determines their state.
    package var cause: String?
    /// Who owns their numbers.
    package var submitter: String?
    /// Whether only those count of which a side must be brought: refused, or never sent.
    package var toBring = false

    /// Lists every case, or those with the given values.
    package init(states: [CaseState] = [], number: BusinessNumber? = nil, since: Timestamp? = nil) {
        (self.states, self.number, self.since) = (states, number, since)
    }

    /// The states of the cases that may match.
    fileprivate var possibleStates: [CaseState] {
        CaseState.allCases.filter { state in
            guard !self.toBring || ![.complete, .rejected, .erased].contains(state) else { return false }
            return self.states.isEmpty ? state != .erased || self.number != nil : self.states.contains(state)
        }
    }
}

/// A position in the list of cases, which is in the order of states, and in each of times: after the last case of a page.
package struct CaseCursor: Hashable, Sendable {
    package let state: CaseState
    package let since: Timestamp
    package let number: BusinessNumber

    package init(_ state: CaseState, since: Timestamp, _ number: BusinessNumber) {
        (self.state, self.since, self.number) = (state, since, number)
    }
}

/// How many cases have one cause.
package struct CaseCount: Encodable, Sendable {
    package let state: CaseState
    /// `nil` for cases of which no card is the cause.
    @Nullable package var cause: String?
    package let cases: Int
    /// Since when the oldest of them has had its state.
    @UTC package var since: Timestamp
}

/// A card among the others of its case, as `cards show`, `cases show` and HTTP write it; without personal values.
package struct CaseCard: Encodable, Sendable {
    package let card: Card
    package let submitter: String
    /// The number, from 1, of its person among those that the fronts of the case name; `nil` if all name one.
    @Nullable package internal(set) var person: Int?
    /// Why it is in its state, in words.
    @InWords package internal(set) var message: Message?
    /// The front that a back was compared with; JSON never has it.
    let comparedWith: CardID?

    private enum CodingKeys: CodingKey {
        case card, submitter, person, message
    }
}

extension SandboxListings {
    /// Lists cases page by page: the states in the order of their urgency, in each the oldest first.
    ///
    /// - Parameters:
    ///   - filter: which cases.
    ///   - last: where the page before ended; `nil` for the first page.
    ///   - limit: the most cases of the page.
    ///   - caller: the caller, which sees the numbers of which it sent the first card, unless its scopes reach further.
    /// - Returns: the cases, and where the next page begins; `nil` after the last one.
    package func cases(
        _ filter: CaseFilter,
        after last: CaseCursor?,
        limit: Int,
        for caller: Caller
    ) async throws -> (cases: [Case], next: CaseCursor?) {
        let limit = min(limit, Limits.pageSize)
        let submitter = caller.submitter(for: .show)
        let owner = submitter ?? filter.submitter
        let states = filter.possibleStates
        return try await self.read { tx in
            var found: [Case] = []
            for state in states.drop(while: { last != nil && $0 != last?.state }) where found.count <= limit {
                var conditions: [SQL] = ["state = \(state)"]
                if let owner { conditions.append("submitter = \(owner)") }
                if let number = filter.number {
                    conditions.append("number = \(try self.sandbox.stored(number, in: tx))")
                }
                if let since = filter.since { conditions.append("since >= \(since)") }
                if let cause = filter.cause { conditions.append("cause = \(cause)") }
                if filter.toBring, state != .retake { conditions.append(Self.lacksPhoto) }
                if let last, last.state == state {
                    conditions.append("(since, number) > (\(last.since), \(last.number))")
                }
                let page: SQL = "ORDER BY since, number LIMIT \(limit + 1 - found.count)"
                found += try Case.all("WHERE \(SQL.joined(conditions, by: " AND ")) \(page)", in: tx)
            }
            let page = Array(found.prefix(limit))
            let next = found.count > limit ? page.last : nil
            return (
                try self.described(page, for: submitter, in: tx),
                next.map { CaseCursor($0.state, since: $0.since, $0.businessNo) }
            )
        }
    }

    /// Returns one case; `nil` if there is none, or none that the caller may see.
    package func oneCase(_ number: BusinessNumber, for caller: Caller) async throws -> Case? {
        try await self.cases(CaseFilter(number: number), after: nil, limit: 1, for: caller).cases.first
    }

    /// Adds the sides whose photos are in progress, and the side and message of the card that is the cause.
    ///
    /// - Parameter submitter: a submitter who does not learn of others' cards; `nil` for callers who see all.
    private func described(_ cases: [Case], for submitter: String?, in tx: Transaction) throws -> [Case] {
        try self.explained(cases, for: submitter, in: tx).map { one in
            var one = one
            one.todo = one.task.message
            return one
        }
    }

    private func explained(_ cases: [Case], for submitter: String?, in tx: Transaction) throws -> [Case] {
        let inProgress = try self.sidesInProgress(of: cases, in: tx)
        let causes = cases.compactMap(\.cardID)
        let rows = causes.isEmpty ? [] : try CardRow.all("WHERE card.id IN \(list: causes)", in: tx)
        let cards = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        return cases.map { one in
            var one = one
            if let sides = inProgress[one.businessNo] { one.missing.removeAll(where: sides.contains) }
            guard let row = one.cardID.flatMap({ cards[$0] }) else { return one }
            one.side = row.anySide
            // What a person let in is another's all the same.
            if submitter == nil || submitter == row.submitter {
                one.message = row.shown(self.vault).message?.withoutPersonalValues ?? row.reason?.meaningByPerson
            } else {
                one.cardID = nil
            }
            return one
        }
    }

    /// Selects cases with a side of which no photo was delivered or still may be; a photo of unknown side may be of either.
    private static let lacksPhoto: SQL = "(\(Self.lacks(.front)) OR \(Self.lacks(.back)))"

    private static func lacks(_ side: CardSide) -> SQL {
        """
        \(side == .front ? "front" : "back" as SQL)_delivered IS NULL AND NOT EXISTS (
            SELECT 1 FROM card WHERE card.number = cases.number AND card.beside IS NULL AND NOT (\(CaseRow.isForeign))
            AND card.state NOT IN \(literals: .rejected, .superseded, .delivered, .erased)
            AND coalesce(card.side, card.expected_side, \(side)) = \(side)
        )
        """
    }

    /// Returns how many cases that a caller sees are in each state.
    package func caseTotals(for caller: Caller) async throws -> [CaseState: Int] {
        let owner = caller.submitter(for: .show)
        return try await self.read { tx in
            var totals: [CaseState: Int] = [:]
            for state in CaseState.allCases {
                let own: SQL = owner.map { "AND submitter = \($0)" } ?? ""
                totals[state] = try tx.value("SELECT count(*) FROM cases WHERE state = \(state) \(own)") ?? 0
            }
            return totals
        }
    }

    private func sidesInProgress(of cases: [Case], in tx: Transaction) throws -> [BusinessNumber: Set<CardSide?>] {
        let numbers = cases.filter { !$0.missing.isEmpty }.map(\.businessNo)
        if numbers.isEmpty { return [:] }
        let ended: [CardState] = [.rejected, .superseded, .delivered, .erased]
        let sides = try tx.rows(
            """
            SELECT number, coalesce(side, expected_side) FROM card WHERE number IN \(list: numbers) AND state NOT IN \(list: ended)
            AND NOT (\(CaseRow.isForeign))
            """
        ) { (try $0.next(BusinessNumber.self), try $0.next(CardSide?.self)) }
        return Dictionary(grouping: sides, by: \.0).mapValues { Set($0.map(\.1)) }
    }

    /// Returns how many of the cases of some business numbers are in a state.
    package func count(of state: CaseState, among numbers: Set<BusinessNumber>) async throws -> Int {
        try await self.read { tx in
            try numbers.count { number in
                let own = try self.sandbox.stored(number, in: tx)
                return try tx.exists("SELECT 1 FROM cases WHERE number = \(own) AND state = \(state)")
            }
        }
    }

    /// Returns how many cases have each state and cause.
    ///
    /// - Parameter needingPerson: whether only those that need a person are counted.
    package func caseCounts(needingPerson: Bool = false) async throws -> [CaseCount] {
        // Most cases need no person and have no cause: an index alone counts them, while groups would read each row.
        var counted: [SQL] = CaseState.allCases.compactMap { state in
            let own: SQL = "FROM cases WHERE state = \(state)"
            if state.needsPerson { return "SELECT \(state), cause, count(*), min(since) \(own) GROUP BY cause" }
            return needingPerson
                ? nil : "SELECT \(state), NULL, (SELECT count(*) \(own)), since \(own) ORDER BY since LIMIT 1"
        }
        counted.append(
            """
            SELECT \(CaseState.decide), \(ReasonCode.submitterConflict), count(*), min(foreign_since) FROM cases
            WHERE foreign_since IS NOT NULL HAVING count(*) > 0
            """
        )
        return try await self.read { [counted] tx in
            try counted.flatMap { statement in
                try tx.rows(statement) {
                    try CaseCount(state: $0.next(), cause: $0.next(), cases: $0.next(), since: $0.next())
                }
                .sorted { ($1.cases, $0.cause ?? "") < ($0.cases, $1.cause ?? "") }
            }
        }
    }

    /// Returns the cards of a case that a caller may see, in the order of their intake.
    package func caseCards(of number: BusinessNumber, for caller: Caller) async throws -> [CaseCard] {
        try await self.read { tx in try self.caseCards(of: number, for: caller, in: tx) }
    }

    func caseCards(of number: BusinessNumber, for caller: Caller?, in tx: Transaction) throws -> [CaseCard] {
        let rows = try tx.rows(
            """
            SELECT \(CardRow.columns), card.holder, card.compared_with FROM \(CardRow.tables) WHERE card.number = \(self.sandbox.stored(number, in: tx))
            AND card.beside IS NULL ORDER BY card.intake_order LIMIT \(Limits.pageSize)
            """
        ) { row in
            (card: try CardRow(&row), holder: try row.next(Data?.self), comparedWith: try row.next(CardID?.self))
        }
        .filter { caller?.sees($0.card.submitter) ?? true }
        let holders = rows.compactMap(\.holder)
        let persons = holders.indices.filter { holders.firstIndex(of: holders[$0]) == $0 }.map { holders[$0] }
        return rows.map { row, holder, comparedWith in
            let card = row.shown(self.vault)
            let person = persons.count > 1 ? holder.flatMap(persons.firstIndex) : nil
            return CaseCard(
                card: card,
                submitter: card.submitter,
                person: person.map { $0 + 1 },
                message: card.message?.withoutPersonalValues ?? card.reason?.meaningByPerson,
                comparedWith: comparedWith
            )
        }
    }
}

extension Case {
    /// For people: state, business number, the side and cause or what is missing, since when.
    package var line: Message {
        let cause = [self.side?.rawValue, self.cause].compactMap(\.self).joined(separator: " ")
        let missing = self.missing.map(\.rawValue).joined(separator: " ")
        // The cause names its own side; other missing sides are added.
        let others = self.missing.filter { self.side != nil && $0 != self.side }
        let what = self.state.needsPerson ? cause : missing
        let start = "\(self.state.rawValue.padded(to: 11))  \(self.since.local)  \(self.businessNo)"
        let line = Message.textVerbatim(start + (what.isEmpty ? "" : "  \(what)"))
        return self.state.needsPerson && !others.isEmpty ? .textAll([line, .caseAlsoMissing(others)]) : line
    }
}
