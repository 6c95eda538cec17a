import IDCardCore
import IDCardPipeline
import IDCardSandbox

/// Which cards a command is about.
struct CardSelection {
    /// These, by their ids or by beginnings of them that belong to one card alone.
    var ids: [CardID]
    /// Whether beginnings of ids count: not for what cannot be undone.
    var takesBeginnings = true
    /// All in one of these states.
    var states: Set<CardState> = []
    /// All of this business number.
    var businessNumber: BusinessNumber?
    /// Of those in one of the states, only what stands there for this reason.
    var reason: ReasonCode?

    /// Returns the cards, each once, in the order given, then in that of their intake.
    ///
    /// - Throws: `CardCommandError` if one of the names is unknown, or nothing has the business number.
    func cards(in store: SandboxStore) async throws -> [CardID] {
        var (found, unknown) = ([CardID](), [CardID]())
        for id in self.ids {
            let card = self.takesBeginnings ? try await Self.card(id, in: store) : try await store.card(id)?.id
            if let card { found.append(card) } else { unknown.append(id) }
        }
        guard unknown.isEmpty else { throw CardCommandError.unknown(unknown) }
        if !self.states.isEmpty || self.businessNumber != nil {
            let more = try await Self.all(
                CardQuery(
                    states: self.states,
                    businessNumber: self.businessNumber,
                    reason: self.reason,
                    limit: 1000
                ),
                in: store
            )
            if self.businessNumber != nil, self.states.isEmpty, more.isEmpty { throw CardCommandError.noneFound }
            found += more
        }
        var seen: Set<CardID> = []
        return found.filter { seen.insert($0).inserted }
    }

    /// Returns the one card of an id.
    ///
    /// - Throws: `CardCommandError` if there is none, or several ids begin so.
    static func one(_ id: CardID, in store: SandboxStore) async throws -> CardID {
        guard let card = try await self.card(id, in: store) else { throw CardCommandError.unknown([id]) }
        return card
    }

    private static func card(_ id: CardID, in store: SandboxStore) async throws -> CardID? {
        if try await store.card(id) != nil { return id }
        guard id.rawValue.count >= Self.shortestBeginning else { return nil }
        let cards = try await store.cards(beginningWith: id.rawValue, limit: 4)
        guard cards.count <= 1 else { throw CardCommandError.ambiguous(id, cards) }
        return cards.first
    }

    /// An id begins with the time: this much of it is that of one millisecond or so, less may be that of any card of a month.
    private static let shortestBeginning = 12

    /// Pages through everything that a query finds.
    private static func all(_ query: CardQuery, in store: SandboxStore) async throws -> [CardID] {
        var query = query
        var ids: [CardID] = []
        while true {
            let page = try await store.cards(matching: query)
            ids += page.map(\.id)
            guard page.count == query.limit, let last = page.last else { return ids }
            query.afterIntakeOrder = last.intakeOrder
        }
    }
}
