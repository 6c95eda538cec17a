package import CardModel

/// How long cards stay in the states in which nothing more happens by itself; `nil` keeps them for ever.
package struct RetentionTerms: Hashable, Sendable {
    /// Those that the backend has.
    package var delivered: Duration?
    /// Those that were rejected, and those that a newer photo replaced.
    package var rejected: Duration?
    /// Those whose attempts are used up.
    package var failed: Duration?
    /// Those that wait for a person or for a front.
    package var held: Duration?

    /// Keeps everything.
    package init() {}

    private static let waiting = Array(ReasonCode.needingAttention.union([.waitsForFront]))

    /// Selects cards whose time is over.
    func expired(limit: Int, now: Timestamp) -> [SQL] {
        let pieces: [(Duration?, SQL)] = [
            (self.delivered, "state = 'delivered'"), (self.rejected, "state = 'rejected'"),
            (self.rejected, "state = 'superseded'"), (self.failed, "state = 'failed'"), (self.held, "state = 'held'"),
            (self.held, "state = 'verified' AND reason IN \(list: Self.waiting)"),
        ]
        return pieces.compactMap { term, condition in
            guard let term, term > .zero else { return nil }
            return """
                SELECT id FROM card WHERE \(condition)
                AND state IN ('delivered', 'rejected', 'superseded', 'failed', 'held', 'verified')
                AND changed_at <= \(now.advanced(by: .zero - term)) ORDER BY changed_at LIMIT \(limit)
                """
        }
    }
}

extension CardStore {
    /// Erases cards whose time is over, at most so many; nothing while a clock that has jumped ahead is not believed.
    ///
    /// - Parameters:
    ///   - terms: how long cards stay.
    ///   - believingClock: whether a person says that the clock is right.
    ///   - limit: the most cards of this call: others wait for the writer only between two transactions.
    /// - Returns: a certificate for each erased card; none when nothing is left to do.
    @discardableResult
    package func eraseExpired(
        _ terms: RetentionTerms,
        believingClock: Bool = false,
        limit: Int = Limits.cardsPerRetention,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [ErasureCertificate] {
        let seen = try await self.see(now, believing: believingClock)
        guard seen.doubted == nil else { return [] }
        return try await Self.translating {
            let erasure = Erasure(store: self, reason: .retention, origin: origin, now: now)
            var erased: [CardID] = []
            while erased.count < limit {
                let most = min(Limits.cardsPerErasure, limit - erased.count)
                // Asked within the transaction: a card may come back to life at any time.
                let batch = try await self.database.write { tx in
                    var cards: [CardID] = []
                    for query in terms.expired(limit: most, now: now) where cards.count < most {
                        cards += try tx.rows(query) { try $0.next() }
                    }
                    return try erasure.erase(Array(cards.prefix(most)), in: tx)
                }
                if batch.isEmpty { break }
                erased += batch
            }
            return erased.isEmpty ? [] : try await erasure.finish(erased)
        }
    }

    /// Notes the time that the clock says.
    ///
    /// - Parameter believing: whether a person says that it is right.
    /// - Returns: the last time that is believed, and a later one that is not.
    @discardableResult
    package func see(_ now: Timestamp, believing: Bool = false) async throws -> SeenTime {
        try await Self.translating {
            try await self.database.write { tx in try Self.see(now, believing: believing, in: tx) }
        }
    }

    @discardableResult
    static func see(_ now: Timestamp, believing: Bool = false, in tx: Transaction) throws -> SeenTime {
        let stored = try tx.row("SELECT seen_at, doubted_since, doubted_until FROM store") { row in
            let last = try row.next(Timestamp.self)
            let (since, until) = (try row.next(Timestamp?.self), try row.next(Timestamp?.self))
            guard let since, let until, since <= until else { return SeenTime(last: last) }
            return SeenTime(last: last, doubted: since...until)
        }
        guard var seen = stored else { throw DatabaseError(.damaged, "the store has no row") }
        seen.see(now, believing: believing)
        if seen != stored {
            try tx.run(
                """
                UPDATE store SET seen_at = \(seen.last), doubted_since = \(seen.doubted?.lowerBound),
                doubted_until = \(seen.doubted?.upperBound)
                """
            )
        }
        return seen
    }
}

/// The last time that is believed, and a time far ahead of it that is not believed yet.
///
/// A clock that was wrong once must not erase cards: what was erased does not come back.
package struct SeenTime: Hashable, Sendable {
    /// The last time that is believed.
    package private(set) var last: Timestamp
    /// Since when and until when a clock was seen that is too far ahead to be believed.
    package private(set) var doubted: ClosedRange<Timestamp>?

    init(last: Timestamp, doubted: ClosedRange<Timestamp>? = nil) {
        self.last = last
        self.doubted = doubted
    }

    mutating func see(_ now: Timestamp, believing: Bool) {
        guard !believing, now > self.last.advanced(by: Limits.largestClockStep) else {
            self.last = now
            self.doubted = nil
            return
        }
        guard let doubted, now >= doubted.upperBound.advanced(by: .zero - Limits.smallestClockStep),
            now <= doubted.upperBound.advanced(by: Limits.longestClockGap)
        else {
            self.doubted = now...now
            return
        }
        self.doubted = doubted.lowerBound...max(doubted.upperBound, now)
        // The bounds are times of the doubted clock, which has run steadily between them.
        if now >= doubted.lowerBound.advanced(by: Limits.steadyClock) { self.see(now, believing: true) }
    }
}
