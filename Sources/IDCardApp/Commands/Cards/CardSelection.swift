import IDCardCore
import IDCardPipeline
import IDCardSandbox

/// Which cards a command is about.
struct CardSelection {
    /// These.
    var ids: [CardID]
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
        var unknown: [CardID] = []
        for id in self.ids where try await store.card(id) == nil { unknown.append(id) }
        guard unknown.isEmpty else { throw CardCommandError.unknown(unknown) }
        var found = self.ids
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
