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

extension SandboxListings {
    package func metrics(now: Timestamp) async throws -> StoreCounts {
        let cases = try await self.caseCounts(needingPerson: true)
        return try await self.read { tx in
            var metrics = StoreCounts()
            metrics.cases = cases
            metrics.cards = try Tally.counts(in: tx)
            for condition in CardAttention.allCases.flatMap({ Self.conditions($0) }) {
                try tx.forEach("SELECT reason, count(*) FROM card WHERE \(condition) GROUP BY reason") { row in
                    metrics.attention[try row.next(), default: 0] += try row.next()
                }
            }
            for (stage, states) in Self.states {
                metrics.oldest[stage] = try states.compactMap { try Self.oldest(in: $0, tx) }.min()
            }
            metrics.lastSuccess = try Self.successes(now: now, in: tx)
            return metrics
        }
    }

    static func successes(now: Timestamp, in tx: Transaction) throws -> [Stage: Timestamp] {
        try Stage.allCases.reduce(into: [:]) { last, stage in
            // A success that a fast clock dated would count as the last one for years.
            last[stage] = try tx.value(
                """
                SELECT ended_at FROM attempt WHERE stage = \(stage) AND class = \(failure: .accepted) AND \(Unreadable.isUnderstood)
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

extension SandboxListings {
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
                    "SELECT minute / \(minutes), \(column), CAST(sum(cards) AS bigint) FROM tally WHERE \(range) GROUP BY 1, 2"
                try tx.forEach(sums) { row in
                    let bucket = Int(try row.next(Int64.self) - first)
                    counts[try row.next(), default: zeros][bucket] = try row.next()
                }
                return counts
            }
            let refused = [CardState.rejected, .failed, .held].map(\.rawValue)
            let passed = [CardState.verified, .delivered].map(\.rawValue) + [Tally.admission]
            return (try counts(by: "state", of: passed), try counts(by: "reason", of: refused))
        }
        let ranked = refusals.map { (sum: $1.reduce(0, +), reason: $0, cards: $1) }
            .sorted { ($1.sum, $0.reason) < ($0.sum, $1.reason) }
        let others = ranked.dropFirst(6).reduce(zeros) { sums, next in zip(sums, next.cards).map(+) }
        return Throughput(
            starts: (first..<end).map { Timestamp(millisecondsSinceEpoch: $0 * minutes * 60_000) },
            admitted: steps[Tally.admission] ?? zeros,
            verified: steps[CardState.verified.rawValue] ?? zeros,
            delivered: steps[CardState.delivered.rawValue] ?? zeros,
            refusals: ranked.prefix(6).map { (ReasonCode(rawValue: $0.reason), $0.cards) }
                + (ranked.count > 6 ? [(nil, others)] : [])
        )
    }
}
