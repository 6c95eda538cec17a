package import CardModel

/// The cases to review.
package struct ReviewQueue: Sendable {
    /// The cases that one person has on pages.
    package struct Claimed: Sendable {
        package let subject: String
        package let cases: Int
        /// When the last of the claims ends.
        package let until: Timestamp
    }

    /// How many cases wait for a person and are free; no more than ``Limits/pageSize`` are counted.
    package var free = 0
    package var claimed: [Claimed] = []
    /// Since when the oldest case waits, free or not.
    package var oldest: Timestamp?
}

// Claims of the cases that persons have on pages: a claim blocks the pages of others, and nothing else.
extension SandboxDecisions {
    /// Cases in these states are reviewed.
    static let states: [CaseState] = [.decide, .failed]
    /// Selects the cases to review, and since when each waits, each case once.
    private static let waiting: [(since: SQL, condition: SQL)] =
        Self.states.map { ("since", "state = \($0)") } + [("foreign_since", "foreign_since IS NOT NULL")]

    /// Selects claims, but not one that a fast clock wrote far in the future; the clocks of processes may differ a little.
    private static func isClaimed(at now: Timestamp) -> SQL {
        """
        (cases.claimed_by IS NOT NULL AND cases.claimed_until > \(now)
        AND cases.claimed_until <= \(now.advanced(by: Limits.claimTime * 2)))
        """
    }

    /// Selects the cards of a case that need a person, without those about which one has decided.
    private static func open(in numbers: SQL) -> SQL {
        """
        SELECT id FROM card WHERE card.number \(numbers)
        AND (\(SQL.joined(SandboxListings.conditions(.decide).map { "(\($0))" }, by: " OR "))) AND NOT \(Decision.holdsCard)
        """
    }

    /// Selects cases that a tab may claim: not while a decision about one of its cards can be undone.
    private static func isFree(at now: Timestamp) -> SQL {
        """
        NOT \(Self.isClaimed(at: now)) AND EXISTS (\(Self.open(in: "= cases.number"))) AND NOT EXISTS (
            SELECT 1 FROM card JOIN decision ON decision.card = card.id
            WHERE card.number = cases.number AND \(Decision.isUndoable)
        )
        """
    }

    /// Claims the oldest case that needs a person, for one tab and ten minutes, in place of the tab's earlier claim. A person
    /// with three other tabs loses the case of the oldest one.
    ///
    /// - Returns: `nil` if no case is free.
    package func claimNext(
        tab: String,
        skipping: Set<BusinessNumber> = [],
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> BusinessNumber? {
        try await self.write(at: now) { tx in
            let free = try Self.waiting.compactMap { since, condition -> (number: BusinessNumber, since: Timestamp)? in
                let cases: SQL = "SELECT number, \(since) FROM cases WHERE \(condition) AND \(Self.isFree(at: now))"
                return try tx.rows("\(cases) ORDER BY \(since), number LIMIT \(skipping.count + 1)") { row in
                    (number: try row.next(BusinessNumber.self), since: try row.next(Timestamp.self))
                }
                .first { !skipping.contains($0.number) }
            }
            guard let number = free.min(by: { $0.since < $1.since })?.number else {
                try self.release(tab: tab, of: origin.decider, in: tx)
                return nil
            }
            for card in try tx.values(Self.open(in: "= \(number)"), as: CardID.self) {
                _ = try self.row(card, for: .decide, by: origin.caller, in: tx)
            }
            try self.claim(number, tab: tab, by: origin.decider, in: tx)
            return number
        }
    }

    func claim(_ number: BusinessNumber, tab: String, by subject: String, in tx: Transaction) throws {
        try self.release(tab: tab, of: subject, in: tx)
        let others: SQL = "claimed_by = \(subject) AND claimed_tab <> \(tab)"
        let newest: SQL =
            "SELECT number FROM cases WHERE \(others) ORDER BY claimed_until DESC LIMIT \(Limits.tabs - 1)"
        try tx.run("UPDATE cases SET \(Self.unclaimed) WHERE \(others) AND number NOT IN (\(newest))")
        let until = tx.now.advanced(by: Limits.claimTime)
        let set: SQL = "claimed_by = \(subject), claimed_tab = \(tab), claimed_until = \(until)"
        try tx.run("UPDATE cases SET \(set) WHERE number = \(number)")
    }

    private static let unclaimed: SQL = "claimed_by = NULL, claimed_tab = NULL, claimed_until = NULL"

    private func release(tab: String, of subject: String, in tx: Transaction) throws {
        try tx.run("UPDATE cases SET \(Self.unclaimed) WHERE claimed_by = \(subject) AND claimed_tab = \(tab)")
    }

    /// Releases the claim of a tab; decisions that were made in it stay.
    package func release(tab: String, by caller: Caller, now: Timestamp) async throws {
        try await self.write(at: now) { tx in try self.release(tab: tab, of: caller.subject, in: tx) }
    }

    /// The cards that a tab has claimed, oldest first.
    ///
    /// - Parameter extending: whether the claim is extended to ten minutes from now on.
    package func claimed(tab: String, by caller: Caller, now: Timestamp, extending: Bool) async throws -> [CardID] {
        let own: SQL = "claimed_by = \(caller.subject) AND claimed_tab = \(tab) AND \(Self.isClaimed(at: now))"
        if extending {
            let until = now.advanced(by: Limits.claimTime)
            try await self.write(at: now) { tx in try tx.run("UPDATE cases SET claimed_until = \(until) WHERE \(own)") }
        }
        return try await self.read { tx in
            let cards = Self.open(in: "IN (SELECT number FROM cases WHERE \(own))")
            return try tx.values("\(cards) ORDER BY intake_order", as: CardID.self)
        }
    }

    /// Checks that no other person has claimed the case of a card.
    ///
    /// - Throws: `card_conflict`.
    func requireUnclaimed(_ row: CardRow, by subject: String, in tx: Transaction) throws {
        let claimed: SQL = """
            SELECT claimed_by, claimed_until FROM cases
            WHERE number = \(row.number) AND claimed_by <> \(subject) AND \(Self.isClaimed(at: tx.now))
            """
        try tx.forEach(claimed) { claim in
            let message = Message.decisionClaimed(row.id, try claim.next(), until: try claim.next())
            throw CodedError(.cardConflict, .conflict, message)
        }
    }

    /// Returns the cases to review, and the claims of each person.
    package func reviewQueue(now: Timestamp) async throws -> ReviewQueue {
        try await self.read { tx in
            var queue = ReviewQueue()
            for (since, condition) in Self.waiting {
                let oldest: Timestamp? = try tx.value("SELECT min(\(since)) FROM cases WHERE \(condition)")
                queue.oldest = [queue.oldest, oldest].compactMap(\.self).min()
                let free: SQL = "SELECT number FROM cases WHERE \(condition) AND \(Self.isFree(at: now))"
                let page: SQL = "LIMIT \(Limits.pageSize - queue.free)"
                queue.free += try tx.value("SELECT count(*) FROM (\(free) \(page)) AS page") ?? 0
            }
            queue.claimed = try tx.rows(
                """
                SELECT claimed_by, count(*), max(claimed_until) FROM cases WHERE \(Self.isClaimed(at: now))
                GROUP BY claimed_by ORDER BY claimed_by
                """
            ) { row in
                ReviewQueue.Claimed(subject: try row.next(), cases: try row.next(), until: try row.next())
            }
            return queue
        }
    }
}
