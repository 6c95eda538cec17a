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

/// A position in the list of cases: after the last case of a page.
package enum CaseCursor: Hashable, Sendable {
    /// In the list of all: by state, and in that by time.
    case all(CaseState, since: Timestamp, BusinessNumber)
    /// In the list of a submitter's own cases.
    case own(BusinessNumber)
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
    /// Lists cases page by page: the states in the order of their urgency, in each the oldest first. A submitter gets its cases
    /// by their numbers, with the status of its own cards.
    ///
    /// - Parameters:
    ///   - filter: which cases.
    ///   - last: where the page before ended; `nil` for the first page.
    ///   - limit: the most cases of the page; a page may be shorter, or empty, and not be the last.
    ///   - caller: the caller, which sees the numbers of which it sent the first card, unless its scopes reach further.
    /// - Returns: the cases, and where the next page begins; `nil` after the last one.
    package func cases(
        _ filter: CaseFilter,
        after last: CaseCursor?,
        limit: Int,
        for caller: Caller
    ) async throws -> (cases: [Case], next: CaseCursor?) {
        let limit = min(limit, Limits.pageSize)
        return try await self.read { tx in
            guard let own = caller.submitter(for: .show) else {
                return try self.allCases(filter, after: last, limit: limit, in: tx)
            }
            return try self.cases(of: own, filter, after: last, limit: limit, in: tx)
        }
    }

    private func allCases(_ filter: CaseFilter, after last: CaseCursor?, limit: Int, in tx: Transaction) throws
        -> (cases: [Case], next: CaseCursor?)
    {
        var place: (state: CaseState, since: Timestamp, number: BusinessNumber)?
        if case .all(let state, let since, let number) = last { place = (state, since, number) }
        let states = CaseState.allCases.filter { filter.states.isEmpty || filter.states.contains($0) }
        var found: [Case] = []
        for state in states.drop(while: { place != nil && $0 != place?.state }) where found.count <= limit {
            var conditions: [SQL] = ["state = \(state)"]
            if let number = filter.number { conditions.append("key = \(number.key)") }
            if let since = filter.since { conditions.append("since >= \(since)") }
            if let place, place.state == state {
                conditions.append("(since, number) > (\(place.since), \(place.number))")
            }
            let page: SQL = "ORDER BY since, number LIMIT \(limit + 1 - found.count)"
            found += try Case.all("WHERE \(SQL.joined(conditions, by: " AND ")) \(page)", in: tx)
        }
        let page = Array(found.prefix(limit))
        let next = found.count > limit ? page.last : nil
        return (
            try page.map { try self.described($0, in: tx) },
            next.map { .all($0.status.state, since: $0.since, $0.number) }
        )
    }

    /// Judges a submitter's cases by its own cards: it does not learn whether others have cards, or their results.
    private func cases(
        of submitter: String,
        _ filter: CaseFilter,
        after last: CaseCursor?,
        limit: Int,
        in tx: Transaction
    ) throws -> (cases: [Case], next: CaseCursor?) {
        var conditions: [SQL] = ["submitter = \(submitter)", "state IS NOT NULL"]
        if case .own(let number) = last { conditions.append("number > \(number)") }
        if let number = filter.number { conditions.append("key = \(number.key)") }
        let page: SQL = "ORDER BY number LIMIT \(Limits.pageSize)"
        let looked = try Case.all("WHERE \(SQL.joined(conditions, by: " AND ")) \(page)", in: tx)
        var found: [Case] = []
        for var one in looked {
            guard found.count < limit else { return (found, found.last.map { .own($0.number) }) }
            guard let own = try Self.status(of: one.number, of: submitter, in: tx) else { continue }
            if own != one.status {
                let last: SQL = """
                    SELECT max(changed_at) FROM card WHERE number = \(one.number) AND submitter || '' = \(submitter)
                    """
                one.since = try tx.value(last) ?? one.since
            }
            one.status = own
            let isAsked = filter.states.isEmpty || filter.states.contains(own.state)
            guard isAsked, filter.since.map({ one.since >= $0 }) ?? true else { continue }
            found.append(try self.described(one, of: submitter, in: tx))
        }
        return (found, looked.count == Limits.pageSize ? looked.last.map { .own($0.number) } : nil)
    }

    /// Adds the sides whose photos are in progress, and the side and message of the card that is the cause.
    ///
    /// - Parameter submitter: the only submitter whose cards count; `nil` for all.
    private func described(_ one: Case, of submitter: String? = nil, in tx: Transaction) throws -> Case {
        var one = one
        if one.status.state != .complete, one.status.state != .incomplete {
            let own: SQL = submitter.map { "AND submitter || '' = \($0)" } ?? ""
            let ended: [CardState] = [.rejected, .superseded, .delivered, .erased]
            one.present.formUnion(
                try tx.values(
                    """
                    SELECT coalesce(side, expected_side) FROM card WHERE number = \(one.number) AND state NOT IN \(list: ended)
                    AND coalesce(side, expected_side) IS NOT NULL \(own)
                    """
                )
            )
        }
        guard let card = one.status.card, let row = try CardRow.fetch(card, in: tx) else { return one }
        one.causeSide = row.anySide
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
        let counted: [SQL] = CaseState.allCases.compactMap { state in
            let own: SQL = "FROM cases WHERE state = \(state)"
            if state.needsPerson { return "SELECT state, cause, count(*), min(since) \(own) GROUP BY state, cause" }
            return needingPerson
                ? nil : "SELECT \(state), NULL, (SELECT count(*) \(own)), since \(own) ORDER BY since LIMIT 1"
        }
        return try await self.read { tx in
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
