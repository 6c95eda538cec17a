package import CardModel

/// The metrics that a monitoring system requests every few seconds.
package struct StoreCounts: Sendable {
    /// The cards in each state, and how often a card entered it, moved by any process.
    package var cards: [CardState: (now: Int, entered: Int)] = [:]
    package var cases: [CaseCount] = []
    /// Cards that need a person, by reason.
    package var attention: [ReasonCode: Int] = [:]
    /// When the oldest card that moves by itself entered its stage.
    package var oldest: [Stage: Timestamp] = [:]
    /// When an endpoint last accepted a call.
    package var lastSuccess: [Stage: Timestamp] = [:]

    package init() {}
}

extension CardStore {
    package func figures(now: Timestamp) async throws -> StoreCounts {
        let cases = try await self.caseCounts(needingPerson: true)
        return try await self.read { tx in
            var figures = StoreCounts()
            figures.cases = cases
            try tx.forEach("SELECT state, cards, entered FROM state_count") { row in
                figures.cards[try row.next()] = (try row.next(), try row.next())
            }
            for condition in CardAttention.allCases.flatMap(Self.conditions) {
                try tx.forEach("SELECT reason, count(*) FROM card WHERE \(condition) GROUP BY reason") { row in
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

    /// Returns when each endpoint last accepted a call.
    package func lastSuccess(now: Timestamp) async throws -> [Stage: Timestamp] {
        try await self.read { tx in try Self.lastSuccess(now: now, in: tx) }
    }

    private static func lastSuccess(now: Timestamp, in tx: Transaction) throws -> [Stage: Timestamp] {
        try Stage.allCases.reduce(into: [:]) { last, stage in
            // A success that a fast clock dated would count as the last one for years.
            last[stage] = try tx.value(
                """
                SELECT ended_at FROM attempt WHERE stage = \(stage) AND class = 'accepted' AND \(Unreadable.isUnderstood)
                AND ended_at <= \(now) ORDER BY ended_at DESC LIMIT 1
                """
            )
        }
    }

    /// The states in which a card has work of a stage.
    private static let states: [(Stage, [CardState])] = [
        (.fetch, [.fetching]), (.prepare, [.received]), (.verify, [.prepared]), (.deliver, [.verified, .delivering]),
    ]

    /// Uses `changed_at`: a card that was retried has an old intake order, and must not hide one that waits.
    private static func oldest(in state: CardState, _ tx: Transaction) throws -> Timestamp? {
        let waits = ReasonCode.needingAttention.union(ReasonCode.waitingForCard).sorted { $0.rawValue < $1.rawValue }
        let goesOn: SQL = state == .verified ? "AND (reason IS NULL OR reason NOT IN \(list: waits))" : ""
        return try tx.value("SELECT min(changed_at) FROM card WHERE state = \(literal: state) \(goesOn)")
    }
}

/// How far a throughput reaches back.
package enum ThroughputSpan: String, CaseIterable, Sendable {
    case hour, day, week

    /// The minutes of a bucket, and the number of buckets.
    fileprivate var buckets: (minutes: Int64, count: Int) {
        switch self {
        case .hour: (1, 60)
        case .day: (15, 96)
        case .week: (120, 84)
        }
    }
}

/// How many cards were admitted, verified, delivered or refused over time: a count for each bucket.
package struct Throughput: Sendable {
    /// When each bucket begins; the last one is not over.
    package let starts: [Timestamp]
    package let admitted: [Int]
    package let verified: [Int]
    package let delivered: [Int]
    /// How often cards were rejected, failed or held: for each of the six most frequent reasons, then for all others together.
    package let refusals: [(reason: ReasonCode?, cards: [Int])]
}

extension CardStore {
    /// The word in place of a state under which a card counts once, with its first event.
    private static let admission = "admitted"

    /// Folds new events into counts by minute, and deletes minutes of more than eight days ago. Of several processes that fold
    /// at once, one succeeds. The last folded event is stored in the same file as the events: a restore brings back both.
    ///
    /// Warnings and new reasons are events in which the state is unchanged: they do not count, which one search in the index of
    /// the card's events shows.
    ///
    /// - Returns: whether more events are left.
    package func foldTally(limit: Int = Limits.eventsPerFold, now: Timestamp) async throws -> Bool {
        let oldest = now.millisecondsSinceEpoch / 60_000 - Limits.minutesTallied
        let new = try await self.read { tx in
            try tx.row(
                """
                SELECT (SELECT tallied FROM store), max(id), count(*) FROM (
                    SELECT id FROM event WHERE id > (SELECT tallied FROM store) ORDER BY id LIMIT \(limit)
                ) AS new
                """
            ) { (start: try $0.next(Int64.self), end: try $0.next(Int64?.self), count: try $0.next(Int.self)) }
        }
        guard let new, let end = new.end else { return false }
        return try await self.write(at: now, usesReserve: false) { tx in
            let isFirst = try tx.run("UPDATE store SET tallied = \(end) WHERE tallied = \(new.start)") == 1
            guard isFirst else { return false }
            // The tombstone of a card that was erased before, or that a restore copied, is not a new card.
            try tx.run(
                """
                WITH step AS MATERIALIZED (
                    SELECT at / 60000 AS minute, state, coalesce(reason, '') AS reason, (
                        SELECT earlier.state FROM event AS earlier WHERE earlier.card = event.card AND earlier.id < event.id
                        ORDER BY earlier.id DESC LIMIT 1
                    ) AS was FROM event WHERE id > \(new.start) AND id <= \(end) AND at >= \(oldest * 60_000)
                )
                INSERT INTO tally (minute, state, reason, cards)
                SELECT minute, state, reason, count(*) FROM step WHERE was IS NULL OR was <> state GROUP BY 1, 2, 3
                UNION ALL
                SELECT minute, \(Self.admission), '', count(*) FROM step WHERE was IS NULL AND state <> 'erased' GROUP BY 1
                ON CONFLICT (minute, state, reason) DO UPDATE SET cards = tally.cards + excluded.cards
                """
            )
            try tx.run("DELETE FROM tally WHERE minute < \(oldest)")
            return new.count == limit
        }
    }

    /// Returns the throughput of a span that ends with the current bucket.
    package func throughput(_ span: ThroughputSpan, now: Timestamp) async throws -> Throughput {
        let (minutes, count) = span.buckets
        let end = now.millisecondsSinceEpoch / 60_000 / minutes + 1
        let first = end - Int64(count)
        let zeros = Array(repeating: 0, count: count)
        let (steps, refusals) = try await self.read { tx in
            func counts(by column: SQL, of states: [String]) throws -> [String: [Int]] {
                var counts: [String: [Int]] = [:]
                let range: SQL =
                    "minute >= \(first * minutes) AND minute < \(end * minutes) AND state IN \(list: states)"
                let sums: SQL =
                    "SELECT minute / \(minutes), \(column), sum(cards) FROM tally WHERE \(range) GROUP BY 1, 2"
                try tx.forEach(sums) { row in
                    let bucket = Int(try row.next(Int64.self) - first)
                    counts[try row.next(), default: zeros][bucket] = try row.next()
                }
                return counts
            }
            let refused = [CardState.rejected, .failed, .held].map(\.rawValue)
            let passed = [CardState.verified, .delivered].map(\.rawValue) + [Self.admission]
            return (try counts(by: "state", of: passed), try counts(by: "reason", of: refused))
        }
        let ranked = refusals.map { (sum: $1.reduce(0, +), reason: $0, cards: $1) }
            .sorted { ($1.sum, $0.reason) < ($0.sum, $1.reason) }
        let others = ranked.dropFirst(6).reduce(zeros) { sums, next in zip(sums, next.cards).map(+) }
        return Throughput(
            starts: (first..<end).map { Timestamp(millisecondsSinceEpoch: $0 * minutes * 60_000) },
            admitted: steps[Self.admission] ?? zeros,
            verified: steps[CardState.verified.rawValue] ?? zeros,
            delivered: steps[CardState.delivered.rawValue] ?? zeros,
            refusals: ranked.prefix(6).map { (ReasonCode(rawValue: $0.reason), $0.cards) }
                + (ranked.count > 6 ? [(nil, others)] : [])
        )
    }
}
