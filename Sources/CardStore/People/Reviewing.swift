package import CardModel

/// What there is to review.
package struct ReviewQueue: Sendable {
    /// The cases that one person has on pages.
    package struct Claimed: Sendable {
        package let subject: String
        package let cases: Int
        /// When the last of the claims ends.
        package let until: Timestamp
    }

    /// How many cases wait for a person and are free; larger numbers than a page has are not counted.
    package var free = 0
    package var claimed: [Claimed] = []
    /// Since when the oldest case waits, free or not.
    package var oldest: Timestamp?
}

// Which cards a person looks at on a page: claims keep others' pages from them, and nothing else.
extension CardStore {
    private static let states: [CaseState] = [.decide, .failed]
    /// The cards of a case that need a person and do not wait for a second one.
    private static func isOpen(in number: SQL) -> SQL {
        """
        card.number = \(number) AND (\(SQL.joined(Self.conditions(.decide).map { "(\($0))" }, by: " OR ")))
        AND NOT EXISTS (SELECT 1 FROM decision WHERE decision.card = card.id AND \(PendingDecision.waitsForSecond))
        """
    }

    /// Cases that a tab may claim: who has one of the cards has all.
    private static func isFree(at now: Timestamp) -> SQL {
        """
        EXISTS (SELECT 1 FROM card WHERE \(Self.isOpen(in: "cases.number"))) AND NOT EXISTS (
            SELECT 1 FROM card JOIN decision ON decision.card = card.id
            WHERE card.number = cases.number AND \(PendingDecision.isInHands(at: now))
        )
        """
    }

    /// Claims the cards of the oldest case that need a person, for one tab and ten minutes.
    ///
    /// - Returns: `nil` if no case is free.
    package func claimNext(
        tab: String,
        skipping: Set<BusinessNumber> = [],
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> BusinessNumber? {
        try await self.write(at: now) { tx in
            let page: SQL = "ORDER BY since, number LIMIT \(skipping.count + 1)"
            let free = try Self.states.compactMap { state -> (number: BusinessNumber, since: Timestamp)? in
                let cases: SQL = "SELECT number, since FROM cases WHERE state = \(state) AND \(Self.isFree(at: now))"
                return try tx.rows(cases + page) { row in
                    (number: try row.next(BusinessNumber.self), since: try row.next(Timestamp.self))
                }
                .first { !skipping.contains($0.number) }
            }
            guard let number = free.min(by: { $0.since < $1.since })?.number else { return nil }
            let open: SQL = "SELECT id FROM card WHERE \(Self.isOpen(in: "\(number)"))"
            for card in try tx.values(open, as: CardID.self) {
                let row = try self.row(card, for: .decide, by: origin.caller, in: tx)
                let seen = try self.lastEvent(of: card, in: tx)
                let until = now.advanced(by: Limits.claimTime)
                try PendingDecision(of: row, seen: seen, nil, by: origin, tab: tab, until: until).write(in: tx)
            }
            return number
        }
    }

    /// The cards that a tab has, oldest first.
    ///
    /// - Parameter extending: whether the tab keeps them for another ten minutes from now on.
    package func claimed(tab: String, by caller: Caller, now: Timestamp, extending: Bool) async throws -> [CardID] {
        let own: SQL = """
            WHERE decision.subject = \(caller.subject) AND decision.tab = \(tab) AND \(PendingDecision.isClaim(at: now))
            """
        if extending {
            let until = now.advanced(by: Limits.claimTime)
            try await self.write(at: now) { tx in try tx.run("UPDATE decision SET until = \(until) \(own)") }
        }
        return try await self.read { tx in
            try PendingDecision.all("\(own) ORDER BY card.intake_order", in: tx).map(\.card)
        }
    }

    /// Lets go what a tab has; what was decided in it stays.
    package func release(tab: String, by caller: Caller, now: Timestamp) async throws {
        try await self.write(at: now) { tx in
            try tx.run("DELETE FROM decision WHERE subject = \(caller.subject) AND tab = \(tab) AND action IS NULL")
        }
    }

    /// Says what there is to review, and who has what.
    package func reviewQueue(now: Timestamp) async throws -> ReviewQueue {
        try await self.read { tx in
            var queue = ReviewQueue()
            for state in Self.states {
                let since: Timestamp? = try tx.value("SELECT min(since) FROM cases WHERE state = \(state)")
                queue.oldest = [queue.oldest, since].compactMap(\.self).min()
                let free: SQL = "SELECT number FROM cases WHERE state = \(state) AND \(Self.isFree(at: now))"
                queue.free += try tx.value("SELECT count(*) FROM (\(free) LIMIT \(Limits.pageSize))") ?? 0
            }
            queue.claimed = try tx.rows(
                """
                SELECT decision.subject, count(DISTINCT card.number), max(decision.until)
                FROM decision JOIN card ON card.id = decision.card WHERE \(PendingDecision.isClaim(at: now))
                GROUP BY decision.subject ORDER BY decision.subject
                """
            ) { row in
                ReviewQueue.Claimed(subject: try row.next(), cases: try row.next(), until: try row.next())
            }
            return queue
        }
    }
}
