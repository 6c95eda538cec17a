import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func card(_ id: CardID) async throws -> Card? {
        try await self.read { try self.fetchCard(id, in: $0) }
    }

    package func details(of id: CardID) async throws -> CardDetails? {
        try await self.read { db in
            guard let card = try self.fetchCard(id, in: db) else { return nil }
            let arguments: StatementArguments = [id.rawValue]
            return CardDetails(
                card: card,
                reading: try Row.fetchOne(
                    db,
                    cached: VerificationSQL.readingOfCard,
                    arguments: arguments
                )
                .flatMap { row in try self.unlessDamaged { try self.reading(from: row, in: db) } },
                imageByteCount: try Int.fetchOne(
                    db,
                    cached: "SELECT byte_count FROM image WHERE card = ?",
                    arguments: arguments
                ),
                events: try Row.fetchAll(db, cached: QuerySQL.events, arguments: arguments).map(Self.event(from:))
            )
        }
    }

    package func cards(matching query: CardQuery) async throws -> [Card] {
        try await self.read { db in
            let (sql, arguments) = QuerySQL.cards(matching: query)
            return try Row.fetchAll(db, sql: sql, arguments: arguments).map { try self.card(from: $0, in: db) }
        }
    }

    /// Returns the first cards whose ids begin so, in the order of their ids.
    package func cards(beginningWith text: String, limit: Int) async throws -> [CardID] {
        try await self.read { db in
            try String.fetchAll(db, cached: QuerySQL.beginning, arguments: [text, limit]).map(CardID.init)
        }
    }

    package func stateCounts() async throws -> [CardState: Int] {
        try await self.read { db in
            var counts: [CardState: Int] = [:]
            for row in try Row.fetchAll(db, cached: QuerySQL.stateCounts) {
                counts[try Self.word(row["state"], in: "card.state")] = row["count"]
            }
            return counts
        }
    }

    package func nextDue(for stage: Stage) async throws -> Timestamp? {
        let sql: String
        switch stage {
        case .prepare: return nil
        case .verify: sql = VerificationSQL.nextDue
        case .deliver: sql = DeliverySQL.nextDue
        }
        return try await self.read { db in
            try Int64.fetchOne(db, cached: sql).map(Timestamp.init(millisecondsSinceEpoch:))
        }
    }

    private static func event(from row: Row) throws -> CardEvent {
        CardEvent(
            at: Timestamp(millisecondsSinceEpoch: row["at"]),
            kind: row["kind"],
            state: try (row["state"] as String?).map { try Self.word($0, in: "event.state") },
            code: row["code"]
        )
    }
}
