package import CardModel

extension SandboxFinding {
    /// Whether ``CardStore/repair(by:now:)`` mends it.
    package var isMendable: Bool {
        CardStore.mends[self.code] != nil
            || ["erased_with_remains", "erasure_cut_off", "reading_missing"].contains(self.code)
    }
}

extension CardStore {
    /// Mends what can be mended without a risk: nothing here sends a card twice, loses one, or lets one go that was kept back.
    ///
    /// Claims of nobody are given back, what an erasure or a delivery left behind goes, what a number must know is noted on it, a
    /// call of nobody counts as one that may have arrived, and a card whose reading is gone is read again.
    ///
    /// - Returns: what was mended, and what is left for a person.
    package func repair(
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> (mended: [SandboxFinding], left: [SandboxFinding]) {
        let before = try await self.check()
        guard before.contains(where: \.isMendable), !before.contains(where: { $0.code == "file_damaged" }) else {
            return ([], before)
        }
        let codes = Set(before.map(\.code))
        try await Self.translating {
            try await self.database.write { tx in
                for (code, statements) in Self.mends where codes.contains(code) {
                    for statement in statements { try tx.run(statement) }
                }
                for finding in before {
                    guard let card = finding.card else { continue }
                    let row = try CardRow.require(card, in: tx)
                    switch finding.code {
                    case "erased_with_remains" where row.state == .erased: try Erasure.destroy(card, in: tx)
                    case "reading_missing" where row.state == .verified:
                        try Transition(card, from: .verified, to: .prepared)
                            .perform(number: row.number, key: nil, now: now, in: tx)
                    default: break
                    }
                }
            }
            if codes.contains("erased_with_remains") { _ = await self.emptyLog() }
            for entry in codes.contains("erasure_cut_off") ? try await self.unerased() : [] {
                try await self.erase([entry.card], because: entry.reason ?? .requested, by: origin, now: now)
            }
        }
        let left = try await self.check()
        return (before.filter { !left.contains($0) }, left)
    }

    /// The changes that mend what a rule finds; each looks again for itself.
    fileprivate static let mends: [String: [SQL]] = [
        "claimed_at_rest": [
            "UPDATE card SET worker = NULL WHERE worker IS NOT NULL AND state NOT IN ('fetching', 'received', 'prepared')",
            "UPDATE delivery SET worker = NULL WHERE worker IS NOT NULL AND state <> 'open'",
        ],
        "attempt_of_nobody": [
            """
            UPDATE delivery SET may_be_applied = 1 WHERE id IN (
                SELECT subject FROM attempt WHERE ended_at IS NULL AND worker NOT IN (SELECT id FROM worker)
            )
            """,
            """
            UPDATE attempt SET ended_at = started_at, class = 'unknown', code = 'interrupted'
            WHERE ended_at IS NULL AND worker NOT IN (SELECT id FROM worker)
            """,
        ],
        "never_decided": [
            """
            UPDATE application SET decide_at = 0 WHERE decide_at IS NULL
            AND number IN (SELECT number FROM card WHERE state = 'verified' AND reason IS NULL)
            """
        ],
        "delivered_not_noted": [
            CardStore.noting("front_delivered", "front"), CardStore.noting("back_delivered", "back"),
        ],
        "second_holder": [
            """
            UPDATE application SET holder = (
                SELECT holder FROM card WHERE card.number = application.number AND holder IS NOT NULL ORDER BY intake_order LIMIT 1
            ) WHERE holder IS NULL
            """,
            """
            UPDATE application SET disputed = 1, decide_at = 0 WHERE disputed = 0 AND EXISTS (
                SELECT 1 FROM card WHERE card.number = application.number AND card.holder <> application.holder
            )
            """,
        ],
        "order_ahead": [
            """
            UPDATE store SET next_order = (SELECT max(intake_order) + 1 FROM card)
            WHERE next_order <= (SELECT max(intake_order) FROM card)
            """
        ],
        "parts_left": ["UPDATE delivery SET parts = NULL WHERE state NOT IN ('open', 'kept') AND parts IS NOT NULL"],
        "kept_without_card": [
            """
            UPDATE delivery SET state = 'closed', parts = NULL WHERE state = 'kept' AND NOT EXISTS (
                SELECT 1 FROM delivery_card JOIN card ON card.id = delivery_card.card
                WHERE delivery_card.delivery = delivery.id AND card.state = 'held'
            )
            """
        ],
    ]

    /// Notes on each number the last card of a side that was delivered.
    private static func noting(_ column: SQL, _ side: String) -> SQL {
        let last: SQL = """
            SELECT max(intake_order) FROM card WHERE card.number = application.number AND card.state = 'delivered'
            AND coalesce(card.side, card.expected_side) = \(side)
            """
        return """
            UPDATE application SET \(column) = (\(last)) WHERE coalesce(\(column), 0) < coalesce((\(last)), 0)
            """
    }
}
