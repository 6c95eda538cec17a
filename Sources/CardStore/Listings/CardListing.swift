package import CardModel

/// Which cards are listed.
package struct CardFilter: Hashable, Sendable {
    /// Their states; empty for all.
    package var states: [CardState] = []
    /// Their reason, or the remote's code.
    package var reason: String?
    package var number: BusinessNumber?
    /// Why they need a person; empty for all cards.
    package var attention: [CardAttention] = []
    /// The name of their submitter; `nil` for all.
    package var submitter: String?
    /// Whether the list includes cards that are only fetched to see whether the photo of another card was retaken.
    package var includesFetchedAgain = false

    /// Lists every card.
    package init() {}
}

extension SandboxListings {
    /// Lists cards in the order of their intake, page by page.
    ///
    /// - Parameters:
    ///   - filter: which cards.
    ///   - last: the intake order of the last card of the page before; `nil` for the first page.
    ///   - newestFirst: whether the order is reversed.
    ///   - limit: the most cards of the page.
    ///   - caller: the caller, which sees only its own cards unless its scopes reach further.
    package func cards(
        _ filter: CardFilter,
        after last: Int64?,
        newestFirst: Bool = false,
        limit: Int,
        for caller: Caller
    ) async throws -> [Card] {
        var filter = filter
        if let own = caller.submitter(for: .show) { filter.submitter = own }
        let range: SQL = newestFirst ? "intake_order < \(last ?? .max)" : "intake_order > \(last ?? 0)"
        let order: SQL = newestFirst ? "intake_order DESC" : "intake_order"
        let page: SQL = "ORDER BY \(order) LIMIT \(min(limit, Limits.pageSize))"
        return try await self.read { [filter] tx in
            let pages: [SQL] = try self.conditions(filter, in: tx).map { condition in
                "SELECT * FROM (SELECT intake_order FROM card WHERE \(range) AND \(condition) \(page)) AS page"
            }
            let orders: SQL = "SELECT intake_order FROM (\(SQL.joined(pages, by: " UNION "))) AS page \(page)"
            return try CardRow.all("WHERE card.intake_order IN (\(orders)) ORDER BY card.\(order)", in: tx)
                .map { $0.shown(self.vault) }
        }
    }

    /// Conditions that together select the cards of a filter, each card once; an index gives the cards of a condition in order.
    func conditions(_ filter: CardFilter, in tx: Transaction) throws -> [SQL] {
        // A number selects fewer cards than a reason, and a reason fewer than a state.
        let (hasNumber, hasReason) = (filter.number != nil, filter.reason != nil)
        var own: [SQL] = []
        if let number = filter.number { own.append("number = \(try self.sandbox.stored(number, in: tx))") }
        if let submitter = filter.submitter { own.append(.unindexed("submitter = \(submitter)", if: hasNumber)) }
        // No client got the id of a card that may be deleted again.
        var conditions = [SQL.joined(own + [filter.includesFetchedAgain ? "1 = 1" : "beside IS NULL"], by: " AND ")]
        func split(_ pieces: [SQL]) { conditions = conditions.flatMap { one in pieces.map { "\(one) AND \($0)" } } }
        let needs = CardAttention.allCases.filter(filter.attention.contains)
        if !needs.isEmpty { split(needs.flatMap { Self.conditions($0, hasNumber: hasNumber) }) }
        // The indexes of numbers and submitters give the order of each state.
        let isAny = needs.isEmpty && (hasNumber || !hasReason && filter.submitter != nil)
        let states = CardState.allCases.filter { filter.states.isEmpty ? isAny : filter.states.contains($0) }
        if !states.isEmpty { split(states.map { .unindexed("state = \(literal: $0)", if: hasReason && !hasNumber) }) }
        if let reason = filter.reason {
            let pieces: [SQL] = ["reason = \(reason)", "remote_code = \(reason) AND reason IS DISTINCT FROM \(reason)"]
            split(pieces.map { .unindexed($0, if: hasNumber) })
        }
        return conditions
    }

    // The rule of `CardNotice`, as SQL.
    static func conditions(_ attention: CardAttention, hasNumber: Bool = false) -> [SQL] {
        switch attention {
        case .decide:
            return [CardState.failed, .held].map { "state = \(literal: $0) AND \(Self.needsPerson)" }
        case .retake:
            let reasons = ReasonCode.needingAttention.sorted { $0.rawValue < $1.rawValue }
            let verified: SQL = .unindexed("state = \(literal: .verified)", if: !hasNumber)
            let waiting: [SQL] = reasons.map { "\(verified) AND \(SQL.unindexed("reason = \($0)", if: hasNumber))" }
            let refused: SQL = "state = \(literal: .rejected) AND reason <> \(ReasonCode.rejectedByOperator)"
            return ([refused] + waiting).map { "\($0) AND \(Self.needsPerson)" }
        }
    }

    /// Selects, among cards in a state that needs a person, those that still do.
    static let needsPerson: SQL = "seen = 0 AND NOT \(CardRow.isRetaken)"

    /// Returns cards by their identifiers; skips those that are missing, or that the caller may not see.
    package func cards(_ ids: [CardID], for caller: Caller) async throws -> [Card] {
        try await self.read { tx in
            try ids.compactMap { try CardRow.fetch($0, in: tx) }
                .filter { caller.may(.show, on: $0.submitter) }.map { $0.shown(self.vault) }
        }
    }

    /// Returns the states of cards, without unsealing any value.
    package func status(of ids: [CardID]) async throws -> [CardChange] {
        try await self.read { tx in
            try ids.compactMap { try CardRow.fetch($0, in: tx).map(CardChange.init) }
        }
    }

    /// Returns the file names of a case's photos as their submitter gave them, that of its cause first, without replaced
    /// photos. The access log gets its line before (``logList(to:now:)``).
    package func inputNames(of one: Case) async throws -> [Redacted<String>] {
        try await self.read { tx in
            let rows = try CardRow.all("WHERE card.number = \(one.businessNo) ORDER BY card.intake_order", in: tx)
                .filter { $0.state != .superseded && $0.state != .erased && !$0.isRetaken && $0.beside == nil }
            let cause = one.cardID
            return (rows.filter { $0.id == cause } + rows.filter { $0.id != cause })
                .compactMap { self.records.inputName(of: $0, key: try? $0.key(self.vault)) }
        }
    }

    /// Returns how many cards need a person, and why.
    package func attentionCounts() async throws -> [CardAttention: Int] {
        try await self.read { tx in
            try CardAttention.allCases.reduce(into: [:]) { counts, need in
                counts[need] = try Self.conditions(need).reduce(0) { count, condition in
                    try count + (tx.value("SELECT count(*) FROM card WHERE \(condition)") ?? 0)
                }
            }
        }
    }

    /// Returns how many cards are in each state; those without a card are left out.
    package func counts() async throws -> [CardState: Int] {
        try await self.read { tx in try Tally.counts(in: tx).mapValues(\.now).filter { $0.value > 0 } }
    }
}
