package import CardModel

/// How long cards stay in the states in which nothing more happens by itself; `nil` means permanently.
package struct RetentionTerms: Hashable, Sendable {
    /// For cards that the backend has.
    package var delivered: Duration?
    /// For rejected cards, and for those that a newer photo replaced.
    package var rejected: Duration?
    /// For cards whose attempts are used up.
    package var failed: Duration?
    /// For cards that wait for a person or for a front.
    package var held: Duration?
    /// For the images of delivered cards; `nil` means for as long as their cards.
    package var images: Duration?

    /// Creates terms by which nothing expires.
    package init() {}

    /// Selects the states in which a card may expire.
    fileprivate static let mayExpire: SQL =
        "state IN \(literals: .delivered, .rejected, .superseded, .failed, .held, .verified)"
    private static let waiting = Array(ReasonCode.needingAttention.union([.waitsForFront]))

    /// Selects cards whose retention is over.
    func expired(limit: Int, now: Timestamp) -> [SQL] {
        let pieces: [(Duration?, SQL)] = [
            (self.delivered, "state = \(literal: .delivered)"), (self.rejected, "state = \(literal: .rejected)"),
            (self.rejected, "state = \(literal: .superseded)"), (self.failed, "state = \(literal: .failed)"),
            (self.held, "state = \(literal: .held)"),
            (self.held, "state = \(literal: .verified) AND reason IN \(list: Self.waiting)"),
        ]
        // A person's decision for something else comes first.
        let isFree: SQL = """
            NOT EXISTS (
                SELECT 1 FROM decision WHERE decision.card = card.id AND decision.dropped = 0 AND decision.action <> \(DecisionAction.erase)
            )
            """
        return pieces.compactMap { Self.over($0, "\($1) AND \(isFree)", limit: limit, now: now) }
    }

    /// Selects delivered cards whose images are past their retention; `nil` if images stay.
    func imagesExpired(limit: Int, now: Timestamp) -> SQL? {
        Self.over(self.images, "state = \(literal: .delivered) AND image_dropped_at IS NULL", limit: limit, now: now)
    }

    /// Selects cards for which a term is over, the oldest first; `nil` without a term.
    private static func over(_ term: Duration?, _ condition: SQL, limit: Int, now: Timestamp) -> SQL? {
        guard let term, term > .zero else { return nil }
        return """
            SELECT id, changed_at FROM card WHERE \(condition)
            AND changed_at <= \(now.advanced(by: .zero - term)) ORDER BY changed_at LIMIT \(limit)
            """
    }
}

extension SandboxUpkeep {
    /// Deletes the images of at most `limit` delivered cards that are past their retention; the records stay.
    ///
    /// Like ``eraseExpired(_:limit:by:now:)`` it does nothing while a clock that has jumped is in doubt.
    ///
    /// - Returns: how many cards lost their image.
    @discardableResult
    package func dropImages(
        _ terms: RetentionTerms,
        limit: Int = Limits.cardsPerRetention,
        by person: AccessOrigin? = nil,
        now: Timestamp
    ) async throws -> Int {
        guard terms.imagesExpired(limit: 1, now: now) != nil, try await self.see(now).doubted == nil else { return 0 }
        var count = 0
        while let query = terms.imagesExpired(limit: min(Limits.cardsPerErasure, limit - count), now: now) {
            let cards = try await self.write(at: now) { tx in
                let cards: [CardID] = try tx.values(query)
                if let person, !cards.isEmpty {
                    // The cards stay, and have no certificate.
                    let origin = person.adding("images")
                    try AccessLog.append(.erase, of: cards, by: origin, vault: self.vault, in: tx)
                }
                for card in cards {
                    try tx.run("DELETE FROM blob WHERE card = \(card)")
                    try tx.run("UPDATE card SET image_dropped_at = \(tx.now) WHERE id = \(card)")
                }
                return cards
            }
            guard !cards.isEmpty else { break }
            self.sandbox.preparedImages.drop(cards)
            count += cards.count
        }
        if count > 0 { await self.freeErased() }
        return count
    }

    /// Erases at most `limit` cards whose retention is over; none while a clock that has jumped is in doubt.
    ///
    /// - Parameters:
    ///   - terms: how long cards stay.
    ///   - limit: the most cards of this call: other changes can be written only between two transactions.
    /// - Returns: a certificate for each erased card; none when nothing is left to do.
    /// - Throws: an error of the sandbox, if nothing was erased before it.
    @discardableResult
    package func eraseExpired(
        _ terms: RetentionTerms,
        limit: Int = Limits.cardsPerRetention,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [ErasureCertificate] {
        guard try await self.see(now).doubted == nil else { return [] }
        let erasure = Erasure(store: self.sandbox, reason: .retention, origin: origin, now: now)
        var erased: [CardID] = []
        while erased.count < limit {
            let most = min(Limits.cardsPerErasure, limit - erased.count)
            // Selected within the transaction: a card may become active again at any time.
            do {
                let batch = try await self.write(at: now) { tx in
                    var cards: [CardID] = []
                    for query in terms.expired(limit: most, now: now) where cards.count < most {
                        cards += try tx.values(query)
                    }
                    return try erasure.erase(Array(cards.prefix(most)), in: tx)
                }
                if batch.isEmpty { break }
                erased += batch
            } catch {
                // The cards that were erased need their certificates; the next call meets a permanent error again.
                guard !erased.isEmpty else { throw error }
                break
            }
        }
        return erased.isEmpty ? [] : try await erasure.finish(erased)
    }

    /// The cards whose retention is over by a clock that a person says is right, and since when each is in its state: those
    /// that `eraseExpired` would erase at this time. Nothing is changed.
    ///
    /// - Returns: `nil` if the clock is so far behind that no card expires.
    package func expired(_ terms: RetentionTerms, now: Timestamp) async throws -> [(card: CardID, since: Timestamp)]? {
        try await self.read(at: now) { tx in
            let stored = try Self.seenTime(in: tx)
            let seen = stored.seeing(now, isRight: true)
            guard seen.doubted == nil else { return nil }
            // Cards that a wrong clock dated would count from now.
            let unknown = try Self.wasBehind(stored, seen, in: tx) ? stored.last : nil
            return try terms.expired(limit: Int(Int32.max), now: now)
                .flatMap { query in
                    try tx.rows(query) { row in (card: try row.next(CardID.self), since: try row.next(Timestamp.self)) }
                }
                .filter { card in unknown.map { card.since > $0 } ?? true }
        }
    }

    /// How many cards, or their images alone, are past their retention; 0 while a clock that has jumped is in doubt.
    package func overdue(_ terms: RetentionTerms, now: Timestamp) async throws -> Int {
        try await self.read(at: now) { tx in
            guard try !tx.exists("SELECT 1 FROM store WHERE doubted_since IS NOT NULL") else { return 0 }
            let all = Int(Int32.max)
            let images = [terms.imagesExpired(limit: all, now: now)].compactMap(\.self)
            return try (terms.expired(limit: all, now: now) + images).reduce(0) { count, query in
                try count + (tx.value("SELECT count(*) FROM (\(query)) AS page") ?? 0)
            }
        }
    }

    /// Observes the time of the clock, and stores it.
    ///
    /// - Parameter isRight: whether a person says that a clock that has jumped ahead is right.
    @discardableResult
    package func see(_ now: Timestamp, isRight: Bool = false) async throws -> ClockGuard {
        while true {
            let seen = try await self.write(at: now) { tx in try Self.see(isRight: isRight, in: tx) }
            if let seen { return seen }
        }
    }

    /// - Returns: `nil` if more cards must be dated anew: then it must be called again.
    @discardableResult
    static func see(isRight: Bool = false, in tx: Transaction) throws -> ClockGuard? {
        let stored = try self.seenTime(in: tx)
        let seen = stored.seeing(tx.now, isRight: isRight)
        guard seen != stored else { return seen }
        var wrong: [SQL] = []
        // The clock was fast before: cards that changed then would stay longer by its error.
        if seen.last < stored.last || stored.doubted != nil && seen.doubted == nil {
            wrong.append("changed_at > \(seen.last)")
        }
        // The age of cards that such a clock has dated is unknown: they count from now.
        if try self.wasBehind(stored, seen, in: tx) { wrong.append("changed_at <= \(stored.last)") }
        for condition in wrong {
            let cards: SQL = """
                SELECT id FROM card WHERE \(RetentionTerms.mayExpire) AND \(condition) LIMIT \(Limits.cardsPerDating)
                """
            let dated: SQL = "UPDATE card SET changed_at = \(seen.last) WHERE id IN (\(cards)) RETURNING number"
            let numbers = try tx.values(dated, as: BusinessNumber.self)
            // A case stores since when another submitter's photo waits.
            tx.changed.formUnion(numbers)
            if numbers.count == Limits.cardsPerDating { return nil }
        }
        try tx.run(
            """
            UPDATE store SET seen_at = \(seen.last), doubted_since = \(seen.doubted?.lowerBound),
            doubted_until = \(seen.doubted?.upperBound)
            """
        )
        return seen
    }

    static func seenTime(in tx: Transaction) throws -> ClockGuard {
        let stored = try tx.row("SELECT seen_at, doubted_since, doubted_until FROM store") { row in
            let last = try row.next(Timestamp.self)
            let (since, until) = (try row.next(Timestamp?.self), try row.next(Timestamp?.self))
            guard let since, let until, since <= until else { return ClockGuard(last: last) }
            return ClockGuard(last: last, doubted: since...until)
        }
        guard let stored else { throw DatabaseError(.damaged, "the store has no row") }
        return stored
    }

    /// Whether the stored time is wrong (impossible, or before an admission), not merely old.
    private static func wasBehind(_ stored: ClockGuard, _ seen: ClockGuard, in tx: Transaction) throws -> Bool {
        let latest = stored.last.advanced(by: Limits.largestClockStep)
        guard seen.last > latest else { return false }
        return try stored.last < Limits.earliestTime
            || tx.exists("SELECT 1 FROM card WHERE created_at > \(latest) LIMIT 1")
    }
}

/// The last time that counts as right, and a time far from it that does not yet.
///
/// A clock that was wrong once must not erase cards: erased cards do not come back. Until a clock that has jumped, in either
/// direction, has run steadily for a while, no card expires, and no change of a card is dated before the last right time. Then
/// cards that the wrong clock dated count from that moment. A smaller backward step does not change the last right time.
package struct ClockGuard: Hashable, Sendable {
    /// The last time that counts as right.
    package let last: Timestamp
    /// The first and the last time of a clock that is far from it.
    package private(set) var doubted: ClosedRange<Timestamp>?

    /// Returns the state after a clock has said a time.
    ///
    /// - Parameter isRight: whether a person says that it is right; only for fast clocks: a slow one erases too little.
    func seeing(_ now: Timestamp, isRight: Bool) -> ClockGuard {
        if now > self.last.advanced(by: .zero - Limits.largestClockStep),
            isRight || now <= self.last.advanced(by: Limits.largestClockStep)
        {
            return ClockGuard(last: max(self.last, now))
        }
        if let doubted, now >= doubted.upperBound.advanced(by: .zero - Limits.smallestClockStep),
            now <= doubted.upperBound.advanced(by: Limits.longestClockGap)
        {
            // The bounds are times of the doubted clock, which has run steadily between them.
            guard now < doubted.lowerBound.advanced(by: Limits.steadyClock) else { return ClockGuard(last: now) }
            return ClockGuard(last: self.last, doubted: doubted.lowerBound...max(doubted.upperBound, now))
        }
        return ClockGuard(last: self.last, doubted: now...now)
    }
}
