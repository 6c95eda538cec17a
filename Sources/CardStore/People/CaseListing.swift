package import CardModel

/// Which cases are listed.
package struct CaseFilter: Hashable, Sendable {
    /// Their states; empty for all.
    package var states: [CaseState] = []
    package var number: BusinessNumber?
    /// Since when they stand there at the earliest.
    package var since: Timestamp?

    /// Lists every case.
    package init() {}
}

/// A place in the list of cases: that of the last one of a page.
package struct CaseCursor: Hashable, Sendable {
    package let state: CaseState
    package let since: Timestamp
    package let number: BusinessNumber

    package init(state: CaseState, since: Timestamp, number: BusinessNumber) {
        self.state = state
        self.since = since
        self.number = number
    }

    package init(_ last: Case) {
        self.init(state: last.standing.state, since: last.since, number: last.number)
    }
}

/// How many cases have one cause.
package struct CaseCount: Hashable, Sendable, Encodable {
    package let state: CaseState
    /// `nil` for cases of which no card is the cause.
    @Nullable package var cause: String?
    package let cases: Int
    /// Since when the oldest of them stands there.
    package let since: Timestamp
}

extension CardStore {
    /// Lists cases page by page: the states in the order of their urgency, in each the oldest first.
    ///
    /// - Parameters:
    ///   - filter: which cases.
    ///   - last: where the page before ended; `nil` for the first page.
    ///   - limit: the most cases of the page.
    ///   - caller: who sees them: the numbers of which it sent the first card, unless its scopes reach further.
    package func cases(
        _ filter: CaseFilter,
        after last: CaseCursor?,
        limit: Int,
        for caller: Caller
    ) async throws -> [Case] {
        let limit = min(limit, Limits.pageSize)
        let states = CaseState.allCases.filter { filter.states.isEmpty || filter.states.contains($0) }
        return try await self.read { tx in
            var found: [Case] = []
            for state in states.drop(while: { last != nil && $0 != last?.state }) where found.count < limit {
                var conditions: [SQL] = ["state = \(state)"]
                if let own = caller.submitter(for: .show) { conditions.append("submitter = \(own)") }
                if let number = filter.number { conditions.append("number = \(number)") }
                if let since = filter.since { conditions.append("since >= \(since)") }
                if let last, last.state == state {
                    conditions.append("(since, number) > (\(last.since), \(last.number))")
                }
                found += try tx.rows(
                    """
                    SELECT \(Case.columns) FROM cases WHERE \(SQL.joined(conditions, by: " AND "))
                    ORDER BY since, number LIMIT \(limit - found.count)
                    """
                ) { try Case(&$0) }
            }
            return try found.map { try self.withCause($0, for: caller, in: tx) }
        }
    }

    /// The case with what is said of the card that is the cause, if a person is to do something about it. Whom that card is
    /// not shown learns where the case stands without the cards of others.
    private func withCause(_ one: Case, for caller: Caller, in tx: Transaction) throws -> Case {
        guard one.standing.state.needsPerson, let card = one.standing.card,
            let row = try CardRow.fetch(card, in: tx)
        else { return one }
        var one = one
        guard caller.sees(row.submitter) else {
            let own = try Self.standing(of: one.number, of: one.submitter, in: tx)
            one.standing = own.flatMap(\.self) ?? CaseStanding(.incomplete)
            return try one.standing.card == card ? one : self.withCause(one, for: caller, in: tx)
        }
        one.causeSide = row.anySide
        one.message = row.shown(self.vault).message
        return one
    }

    /// Returns how many cases stand where, and why.
    package func caseCounts() async throws -> [CaseCount] {
        try await self.read { tx in
            let counts = try tx.rows(
                "SELECT state, cause, count(*), min(since) FROM cases WHERE state IS NOT NULL GROUP BY state, cause"
            ) { row in
                CaseCount(state: try row.next(), cause: try row.next(), cases: try row.next(), since: try row.next())
            }
            let ranks = Dictionary(uniqueKeysWithValues: CaseState.allCases.enumerated().map { ($1, $0) })
            return counts.sorted {
                (ranks[$0.state] ?? 0, $1.cases, $0.cause ?? "") < (ranks[$1.state] ?? 0, $0.cases, $1.cause ?? "")
            }
        }
    }
}

/// A case as lists show it, in JSON and in text: the command line and HTTP write the same.
package struct CaseDocument: Encodable, Sendable {
    package let businessNo: String
    package let state: CaseState
    /// The first cause; `null` if no card is.
    @Nullable package var cause: String?
    /// The card that is the cause.
    @Nullable package var cardID: CardID?
    /// The side of that card.
    @Nullable package var side: CardSide?
    package let since: String
    private let delivered: [CardSide]
    /// The sides that were not delivered.
    package let missing: [CardSide]
    /// What is the matter and what to do, without personal values.
    @Nullable package var message: String?

    package init(_ one: Case) {
        self.businessNo = one.number.rawValue
        self.state = one.standing.state
        self.cause = one.standing.cause
        self.cardID = one.standing.card
        self.side = one.causeSide
        self.since = one.since.description
        self.delivered = CardSide.allCases.filter(one.delivered.contains)
        self.missing = CardSide.allCases.filter { !one.delivered.contains($0) }
        self.message = one.message?.withoutPersonalValues.text()
    }

    /// For people: state, business number, the side and cause or what is missing, since when.
    package var text: String {
        let cause = [self.side?.rawValue, self.cause].compactMap(\.self).joined(separator: " ")
        let missing = self.missing.map(\.rawValue).joined(separator: " ")
        let what = self.state.needsPerson ? cause : missing
        return "\(self.state.rawValue.padded(to: 11))  \(self.since)  \(self.businessNo)"
            + (what.isEmpty ? "" : "  \(what)")
    }
}
