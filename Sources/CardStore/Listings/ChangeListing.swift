package import CardModel

extension SandboxListings {
    /// Cards that have changed, and how far a client has read the changes.
    package struct Changes: Sendable {
        package var cards: [Card] = []
        /// The last event that was examined; the next request continues after it.
        package var last: Int64
        /// Whether there are later events already.
        package var hasMore = false
    }

    /// Returns cards with a change of state or reason after an event, in the order of their changes, each in its current state.
    /// No change is lost: a card comes again with each further change.
    ///
    /// - Parameters:
    ///   - filter: which cards.
    ///   - event: the last event that the client knows; 0 for the beginning.
    ///   - limit: the most cards.
    ///   - caller: the caller, which gets only its own cards unless its scopes reach further.
    package func changes(
        _ filter: CardFilter,
        since event: Int64,
        limit: Int,
        for caller: Caller
    ) async throws -> Changes {
        var filter = filter
        if let own = caller.submitter(for: .show) { filter.submitter = own }
        return try await self.read { [filter] tx in
            // For an event that this sandbox never had, changes begin anew: it was restored from a backup without a card.
            let isKnown = try tx.exists("SELECT 1 FROM event WHERE id >= \(event)")
            var changes = Changes(last: isKnown ? event : 0)
            var looks = Limits.eventsLookedAt
            while looks > 0, changes.cards.count < limit {
                let events: [(Int64, CardID)] = try tx.rows(
                    "SELECT id, card FROM event WHERE id > \(changes.last) ORDER BY id LIMIT \(limit)"
                ) { try ($0.next(), $0.next()) }
                guard !events.isEmpty else { return changes }
                looks -= events.count
                let fitting = try self.matching(of: events.map(\.1), filter, in: tx)
                for (id, card) in events where changes.cards.count < limit {
                    changes.last = id
                    guard let card = fitting[card], !changes.cards.contains(where: { $0.id == card.id }) else {
                        continue
                    }
                    changes.cards.append(card)
                }
            }
            changes.hasMore = try tx.exists("SELECT 1 FROM event WHERE id > \(changes.last)")
            return changes
        }
    }

    /// Returns the last event so far, after which changes may be requested; 0 if there is none.
    package func lastEvent() async throws -> Int64 {
        try await self.read { try $0.value("SELECT coalesce(max(id), 0) FROM event") ?? 0 }
    }

    private func matching(of ids: [CardID], _ filter: CardFilter, in tx: Transaction) throws -> [CardID: Card] {
        let fits = SQL.joined(try self.conditions(filter, in: tx).map { "(\($0))" }, by: " OR ")
        let rows = try CardRow.all("WHERE card.id IN \(list: ids) AND \(SQL.unindexed(fits))", in: tx)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0.shown(self.vault)) })
    }
}
