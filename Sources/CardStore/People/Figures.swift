package import CardModel

/// The figures that a monitoring system asks for every few seconds.
package struct StoreFigures: Sendable {
    /// Cards in each state, and how often a card came to it, whoever moved it.
    package var cards: [CardState: (now: Int, entered: Int)] = [:]
    /// Why cases need a person.
    package var cases: [CaseCount] = []
    /// Cards that need a person, by reason.
    package var attention: [ReasonCode: Int] = [:]
    /// When the oldest card that goes on by itself came to its stage.
    package var oldest: [Stage: Timestamp] = [:]
    /// When an endpoint last took a call.
    package var lastSuccess: [Stage: Timestamp] = [:]

    package init() {}
}

extension CardStore {
    package func figures(now: Timestamp) async throws -> StoreFigures {
        let cases = try await self.caseCounts(needingPerson: true)
        return try await self.read { tx in
            var figures = StoreFigures()
            figures.cases = cases
            _ = try tx.rows("SELECT state, cards, entered FROM state_count") { row in
                figures.cards[try row.next()] = (try row.next(), try row.next())
            }
            for condition in CardAttention.allCases.flatMap(Self.conditions) {
                _ = try tx.rows("SELECT reason, count(*) FROM card WHERE \(condition) GROUP BY reason") { row in
                    figures.attention[try row.next(), default: 0] += try row.next()
                }
            }
            for (stage, states) in Self.states {
                figures.oldest[stage] = try states.compactMap { try Self.oldest(in: $0, tx) }.min()
            }
            figures.lastSuccess = try Self.lastSuccess(now: now, in: tx)
            return figures
        }
    }

    /// Returns when each endpoint last took a call.
    package func lastSuccess(now: Timestamp) async throws -> [Stage: Timestamp] {
        try await self.read { tx in try Self.lastSuccess(now: now, in: tx) }
    }

    private static func lastSuccess(now: Timestamp, in tx: Transaction) throws -> [Stage: Timestamp] {
        try Stage.allCases.reduce(into: [:]) { last, stage in
            // What a clock that was ahead has dated would count as the last one for years.
            let ended: SQL =
                "SELECT max(ended_at) FROM attempt WHERE stage = \(stage) AND class = 'accepted' AND ended_at <= \(now)"
            last[stage] = try tx.value(ended, as: Timestamp?.self) ?? nil
        }
    }

    /// The states in which a card has work of a stage.
    private static let states: [(Stage, [CardState])] = [
        (.fetch, [.fetching]), (.prepare, [.received]), (.verify, [.prepared]), (.deliver, [.verified, .delivering]),
    ]

    /// The oldest is the one that was imported first: a card keeps its place through all stages.
    private static func oldest(in state: CardState, _ tx: Transaction) throws -> Timestamp? {
        let waits = ReasonCode.needingAttention.union(ReasonCode.waitingForCard).sorted { $0.rawValue < $1.rawValue }
        let goesOn: SQL = state == .verified ? "AND (reason IS NULL OR reason NOT IN \(list: waits))" : ""
        let first: SQL = "WHERE state = \(literal: state) \(goesOn) ORDER BY intake_order LIMIT 1"
        return try tx.value("SELECT changed_at FROM card \(first)")
    }
}
