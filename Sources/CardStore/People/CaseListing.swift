package import CardModel

/// Which cases are listed.
package struct CaseFilter: Hashable, Sendable {
    /// Their states; empty for all.
    package var states: [CaseState] = []
    package var number: BusinessNumber?
    /// The earliest time since when they have had their state.
    package var since: Timestamp?

    /// Lists every case.
    package init() {}
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

extension CardStore {
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
        let states = CaseState.allCases.filter { filter.states.isEmpty || filter.states.contains($0) }
        return try await self.read { tx in
            var found: [Case] = []
            for state in states.drop(while: { last != nil && $0 != last?.state }) where found.count <= limit {
                var conditions: [SQL] = ["state = \(state)"]
                if let submitter { conditions.append("submitter = \(submitter)") }
                if let number = filter.number { conditions.append("key = \(number.key)") }
                if let since = filter.since { conditions.append("since >= \(since)") }
                if let last, last.state == state {
                    conditions.append("(since, number) > (\(last.since), \(last.number))")
                }
                let page: SQL = "ORDER BY since, number LIMIT \(limit + 1 - found.count)"
                found += try Case.all("WHERE \(SQL.joined(conditions, by: " AND ")) \(page)", in: tx)
            }
            let page = Array(found.prefix(limit))
            let next = found.count > limit ? page.last : nil
            return (
                try page.map { try self.described($0, for: submitter, in: tx) },
                next.map { CaseCursor($0.status.state, since: $0.since, $0.number) }
            )
        }
    }

    /// Adds the sides whose photos are in progress, and the side and message of the card that is the cause.
    ///
    /// - Parameter submitter: a submitter who does not learn of others' cards; `nil` for callers who see all.
    private func described(_ one: Case, for submitter: String?, in tx: Transaction) throws -> Case {
        var one = one
        if one.status.state != .complete, one.status.state != .incomplete {
            let ended: [CardState] = [.rejected, .superseded, .delivered, .erased]
            one.present.formUnion(
                try tx.values(
                    """
                    SELECT coalesce(side, expected_side) FROM card WHERE number = \(one.number) AND state NOT IN \(list: ended)
                    AND coalesce(side, expected_side) IS NOT NULL AND NOT (\(CaseRow.isForeign))
                    """
                )
            )
        }
        guard let card = one.status.card, let row = try CardRow.fetch(card, in: tx) else { return one }
        one.causeSide = row.anySide
        // What a person let in is another's all the same.
        guard submitter == nil || submitter == row.submitter else {
            one.status = CaseStatus(one.status.state, card: nil, cause: one.status.cause)
            return one
        }
        one.message = row.shown(self.vault).message
        return one
    }

    /// Returns how many of the cases of some business numbers are in a state.
    package func count(of state: CaseState, among numbers: Set<BusinessNumber>) async throws -> Int {
        try await self.read { tx in
            try numbers.count { number in
                try tx.exists("SELECT 1 FROM cases WHERE key = \(number.key) AND state = \(state)")
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
            if state.needsPerson { return "SELECT state, cause, count(*), min(since) \(own) GROUP BY state, cause" }
            return needingPerson
                ? nil : "SELECT \(state), NULL, (SELECT count(*) \(own)), since \(own) ORDER BY since LIMIT 1"
        }
        // Of a case that needs a person anyway, the cause counts.
        counted.append(
            """
            SELECT \(CaseState.decide), \(ReasonCode.submitterConflict), count(*), min(foreign_since) FROM cases
            WHERE \(Self.waitsAsForeign) HAVING count(*) > 0
            """
        )
        return try await self.read { [counted] tx in
            try counted.flatMap { statement in
                try tx.rows(statement) { row in
                    CaseCount(
                        state: try row.next(),
                        cause: try row.next(),
                        cases: try row.next(),
                        since: try row.next()
                    )
                }
                .sorted { ($1.cases, $0.cause ?? "") < ($0.cases, $1.cause ?? "") }
            }
        }
    }
}

/// A case as lists show it, in JSON and in text: the command line and HTTP write the same.
package struct CaseDocument: Encodable, Sendable {
    package let businessNo: String
    package let state: CaseState
    /// The first cause; `null` if no card is the cause.
    @Nullable package var cause: String?
    /// The card that is the cause.
    @Nullable package var cardID: CardID?
    @Nullable package var side: CardSide?
    @UTC package var since: Timestamp
    private let delivered: [CardSide]
    /// The sides without a photo that was delivered or may still be.
    package let missing: [CardSide]
    /// The issue and what to do, without personal values.
    @InWords package var message: Message?

    package init(_ one: Case) {
        (self.businessNo, self.state, self.cause) = (one.number.rawValue, one.status.state, one.status.cause)
        (self.cardID, self.side) = (one.status.card, one.causeSide)
        self._since = UTC(wrappedValue: one.since)
        self.delivered = CardSide.allCases.filter(one.delivered.contains)
        self.missing = CardSide.allCases.filter { !one.present.contains($0) }
        self.message = one.message?.withoutPersonalValues
    }

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
