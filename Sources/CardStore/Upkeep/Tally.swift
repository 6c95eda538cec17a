package import CardModel

/// Counts made from the events of cards: by minute for charts, and for each state how often cards entered and left it. Events
/// that do not change the state, such as warnings, do not count.
enum Tally {
    /// The name, in place of a state, under which each card counts once, with its first event.
    static let admission = "admitted"

    /// Adds events to the counts.
    ///
    /// - Parameter oldest: the first minute of which there are counts by minute.
    static func add(_ events: SQL, since oldest: Int64, in tx: Transaction) throws {
        let recent: SQL = "\(events) AND at >= \(oldest * 60_000)"
        // A first event with state `erased` is that of a tombstone that a restore copied, not of a new card.
        try tx.run(
            """
            INSERT INTO tally (minute, state, reason, cards)
            SELECT at / 60000, state, coalesce(reason, ''), count(*) FROM event
            WHERE \(recent) AND was IS DISTINCT FROM state GROUP BY 1, 2, 3
            UNION ALL SELECT at / 60000, \(Self.admission), '', count(*) FROM event
            WHERE \(recent) AND was IS NULL AND state <> \(literal: .erased) GROUP BY 1
            ON CONFLICT (minute, state, reason) DO UPDATE SET cards = tally.cards + excluded.cards
            """
        )
        try Self.addMoves(Self.moves(of: events), in: tx)
    }

    /// Counts the moves of a card whose events are about to be deleted.
    static func addMoves(of card: CardID, in tx: Transaction) throws {
        let deleted: SQL = "card = \(card) AND id > (SELECT tallied FROM store) AND state <> \(literal: .erased)"
        try Self.addMoves(Self.moves(of: deleted), in: tx)
    }

    /// Corrects the counts of cards by state.
    static func repair(in tx: Transaction) throws {
        for (state, difference) in try Self.differences(in: tx) {
            try Self.addMoves("VALUES (\(state), 0, \(difference))", in: tx)
        }
    }

    private static func addMoves(_ moves: SQL, in tx: Transaction) throws {
        try tx.run(
            """
            INSERT INTO state_total (state, entered, departed) \(moves) ON CONFLICT (state) DO UPDATE
            SET entered = state_total.entered + excluded.entered, departed = state_total.departed + excluded.departed
            """
        )
    }

    /// Selects how often cards entered and left each state by events.
    private static func moves(of events: SQL) -> SQL {
        """
        SELECT state, CAST(sum(entered) AS bigint), CAST(sum(departed) AS bigint) FROM (
            SELECT state, 1 AS entered, 0 AS departed FROM event WHERE \(events) AND was IS DISTINCT FROM state
            UNION ALL SELECT was, 0, 1 FROM event WHERE \(events) AND was <> state
        ) AS page WHERE TRUE GROUP BY state
        """
    }

    /// Returns how often cards entered and left each state, by all events, counted and not yet counted.
    private static func moves(in tx: Transaction) throws -> [CardState: (entered: Int, departed: Int)] {
        var moves: [CardState: (entered: Int, departed: Int)] = [:]
        try tx.forEach("SELECT state, entered, departed FROM state_total") { row in
            moves[try row.next()] = (try row.next(), try row.next())
        }
        let isNew: SQL = "id > (SELECT tallied FROM store) AND was IS DISTINCT FROM state"
        try tx.forEach("SELECT state, was, count(*) FROM event WHERE \(isNew) GROUP BY state, was") { row in
            let (state, was) = (try row.next(CardState.self), try row.next(CardState?.self))
            let count = try row.next(Int.self)
            moves[state, default: (0, 0)].entered += count
            if let was { moves[was, default: (0, 0)].departed += count }
        }
        return moves
    }

    /// Returns how many cards are in each state, and how often a card entered it; fast, since it reads counts and not the cards.
    static func counts(in tx: Transaction) throws -> [CardState: (now: Int, entered: Int)] {
        let moves = try Self.moves(in: tx)
        return CardState.allCases.reduce(into: [:]) { counts, state in
            let (entered, departed) = moves[state] ?? (0, 0)
            counts[state] = (max(0, entered - departed), entered)
        }
    }

    /// Returns by how much the counts differ from the cards. A card that is fetched beside a known one has no event yet.
    static func differences(in tx: Transaction) throws -> [CardState: Int] {
        let moves = try Self.moves(in: tx)
        return try CardState.allCases.reduce(into: [:]) { differences, state in
            let (entered, departed) = moves[state] ?? (0, 0)
            let counted: SQL = state == .fetching ? "AND beside IS NULL" : ""
            let cards: Int? = try tx.value("SELECT count(*) FROM card WHERE state = \(literal: state) \(counted)")
            differences[state] = entered - departed - (cards ?? 0)
        }
        .filter { $0.value != 0 }
    }
}

extension SandboxUpkeep {
    /// Adds new events to the counts, and deletes minutes of more than eight days ago. If several processes do so at once, only
    /// one succeeds.
    ///
    /// - Returns: whether more events are left.
    package func foldTally(limit: Int = Limits.eventsPerFold, now: Timestamp) async throws -> Bool {
        let new = try await self.read { tx in
            try tx.row(
                """
                SELECT (SELECT tallied FROM store), max(id), count(*) FROM (
                    SELECT id FROM event WHERE id > (SELECT tallied FROM store) ORDER BY id LIMIT \(limit)
                ) AS new
                """
            ) { (start: try $0.next(Int64.self), last: try $0.next(Int64?.self), count: try $0.next(Int.self)) }
        }
        guard let new, let last = new.last else { return false }
        let oldest = now.millisecondsSinceEpoch / 60_000 - Limits.minutesTallied
        return try await self.write(at: now, usesReserve: false) { tx in
            let isFirst = try tx.run("UPDATE store SET tallied = \(last) WHERE tallied = \(new.start)") == 1
            guard isFirst else { return false }
            try Tally.add("id > \(new.start) AND id <= \(last)", since: oldest, in: tx)
            try tx.run("DELETE FROM tally WHERE minute < \(oldest)")
            return new.count == limit
        }
    }
}
