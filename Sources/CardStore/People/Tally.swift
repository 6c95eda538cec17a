package import CardModel

/// How far figures over time look back.
package enum FigureSpan: String, CaseIterable, Sendable {
    case hour, day, week

    /// The buckets of its figures: how many, and of how many minutes each.
    var buckets: (count: Int, minutes: Int64) {
        switch self {
        case .hour: (60, 1)
        case .day: (96, 15)
        case .week: (84, 120)
        }
    }
}

/// How many cards came how far, over time: a count for each bucket.
package struct Throughput: Sendable {
    /// When each bucket begins; the last one is not over.
    package let starts: [Timestamp]
    /// Cards that were admitted.
    package fileprivate(set) var admitted: [Int]
    package fileprivate(set) var verified: [Int]
    package fileprivate(set) var delivered: [Int]
    /// How often a card was rejected, failed or held: for each of the six most frequent reasons, then for all others together.
    package fileprivate(set) var refusals: [(reason: ReasonCode?, cards: [Int])] = []

    fileprivate init(starts: [Timestamp]) {
        self.starts = starts
        (self.admitted, self.verified) = (starts.map { _ in 0 }, starts.map { _ in 0 })
        self.delivered = self.admitted
    }
}

/// New events as the table `tally` counts them: by minute, state and reason.
private struct Fold: Sendable {
    /// The word in the place of a state under which a card counts once, with its first event.
    static let admitted = "admitted"

    /// The events after the first and up to the second.
    let start: Int64
    let end: Int64
    let isFull: Bool
    let counts: [(minute: Int64, state: String, reason: String, cards: Int, first: Int)]

    /// Reads events that are not folded yet; `nil` if there are none.
    ///
    /// Warnings and new reasons are events in the state in which the card was: they are no step, and one look at the index of
    /// the card's events tells.
    init?(since oldest: Int64, limit: Int, in tx: Transaction) throws {
        let start = try tx.value("SELECT tallied FROM store", as: Int64.self) ?? 0
        let new: SQL = "SELECT id, card, at, state, reason FROM event WHERE id > \(start) ORDER BY id LIMIT \(limit)"
        let last = try tx.row("SELECT max(id), count(*) FROM (\(new)) AS new") { row in
            (id: try row.next(Int64?.self), count: try row.next(Int.self))
        }
        guard let last, let end = last.id else { return nil }
        (self.start, self.end, self.isFull) = (start, end, last.count == limit)
        self.counts = try tx.rows(
            """
            WITH step AS MATERIALIZED (
                SELECT at / 60000 AS minute, state, coalesce(reason, '') AS reason, (
                    SELECT state FROM event WHERE card = new.card AND id < new.id ORDER BY id DESC LIMIT 1
                ) AS was FROM (\(new)) AS new
            )
            SELECT minute, state, reason, count(*), count(*) - count(was) FROM step
            WHERE minute >= \(oldest) AND (was IS NULL OR was <> state) GROUP BY 1, 2, 3
            """
        ) { (try $0.next(), try $0.next(), try $0.next(), try $0.next(), try $0.next()) }
    }

    func write(in tx: Transaction) throws {
        for count in self.counts {
            try Self.add(count.cards, count.minute, count.state, count.reason, in: tx)
            // The tombstone of a card that was erased before, or that a restore took over, is no new card.
            guard count.first > 0, count.state != CardState.erased.rawValue else { continue }
            try Self.add(count.first, count.minute, Self.admitted, "", in: tx)
        }
    }

    private static func add(_ cards: Int, _ minute: Int64, _ state: String, _ reason: String, in tx: Transaction) throws
    {
        try tx.run(
            """
            INSERT INTO tally (minute, state, reason, cards) VALUES (\(minute), \(state), \(reason), \(cards))
            ON CONFLICT (minute, state, reason) DO UPDATE SET cards = tally.cards + excluded.cards
            """
        )
    }
}

extension CardStore {
    /// Folds new events into the figures over time, and deletes minutes of more than eight days ago. Of processes that fold
    /// at once one does.
    ///
    /// Events stand in the file beside the number of the last one that was folded: a restore brings both back as they were.
    ///
    /// - Returns: whether more events are left.
    package func foldTally(now: Timestamp) async throws -> Bool {
        try await self.foldTally(limit: Limits.eventsPerFold, now: now)
    }

    func foldTally(limit: Int, now: Timestamp) async throws -> Bool {
        let oldest = now.millisecondsSinceEpoch / 60_000 - Limits.minutesTallied
        guard let fold = try await self.read({ try Fold(since: oldest, limit: limit, in: $0) }) else { return false }
        return try await self.write(at: now, usesReserve: false) { tx in
            let isFirst = try tx.run("UPDATE store SET tallied = \(fold.end) WHERE tallied = \(fold.start)") == 1
            guard isFirst else { return false }
            try fold.write(in: tx)
            try tx.run("DELETE FROM tally WHERE minute < \(oldest)")
            return fold.isFull
        }
    }

    /// Returns the figures of a span that ends with the bucket of this moment.
    package func throughput(_ span: FigureSpan, now: Timestamp) async throws -> Throughput {
        let (count, minutes) = span.buckets
        let end = now.millisecondsSinceEpoch / 60_000 / minutes + 1
        let first = end - Int64(count)
        let rows = try await self.read { tx in
            try tx.rows(
                """
                SELECT minute / \(minutes), state, reason, sum(cards) FROM tally
                WHERE minute >= \(first * minutes) AND minute < \(end * minutes) GROUP BY 1, 2, 3
                """
            ) { row in
                (
                    bucket: Int(try row.next(Int64.self) - first), state: try row.next(String.self),
                    reason: try row.next(String.self), cards: try row.next(Int.self)
                )
            }
        }
        let starts = (first..<end).map { Timestamp(millisecondsSinceEpoch: $0 * minutes * 60_000) }
        var figures = Throughput(starts: starts)
        var refusals: [String: [Int]] = [:]
        for row in rows {
            switch row.state {
            case Fold.admitted: figures.admitted[row.bucket] += row.cards
            case CardState.verified.rawValue: figures.verified[row.bucket] += row.cards
            case CardState.delivered.rawValue: figures.delivered[row.bucket] += row.cards
            case CardState.rejected.rawValue, CardState.failed.rawValue, CardState.held.rawValue:
                refusals[row.reason, default: starts.map { _ in 0 }][row.bucket] += row.cards
            default: break
            }
        }
        figures.rank(refusals)
        return figures
    }
}

extension Throughput {
    /// Keeps the six most frequent reasons, and adds up the others.
    fileprivate mutating func rank(_ refusals: [String: [Int]]) {
        let ranked = refusals.sorted { one, other in
            let (sum, sumOfOther) = (one.value.reduce(0, +), other.value.reduce(0, +))
            return (sumOfOther, one.key) < (sum, other.key)
        }
        self.refusals = ranked.prefix(6).map { (ReasonCode(rawValue: $0.key), $0.value) }
        guard let rest = ranked.dropFirst(6).first?.value else { return }
        let others = ranked.dropFirst(7).reduce(rest) { sums, next in zip(sums, next.value).map { $0 + $1 } }
        self.refusals.append((nil, others))
    }
}
