package import CardModel

/// How long cards are stored in the states in which the pipeline does nothing more; `nil` means permanently.
package struct RetentionTerms: Hashable, Sendable {
    /// For cards that the backend has.
    package var delivered: Duration?
    /// For rejected cards, and for cards that a newer photo replaced.
    package var rejected: Duration?
    /// For cards whose attempts are used up.
    package var failed: Duration?
    /// For cards that wait for a person or for a front.
    package var held: Duration?
    /// For the images of delivered cards; `nil` means as long as the cards.
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
        // A card does not expire while a person's decision about it waits, unless that is to erase it.
        let isFree: SQL = """
            NOT EXISTS (
                SELECT 1 FROM decision WHERE decision.card = card.id AND decision.dropped = 0 AND decision.action <> \(DecisionAction.erase)
            )
            """
        return pieces.compactMap { Self.over($0, "\($1) AND \(isFree)", limit: limit, now: now) }
    }

    /// Selects delivered cards whose images are past their retention; `nil` if images have no term of their own.
    func imagesExpired(limit: Int, now: Timestamp) -> SQL? {
        Self.over(self.images, "state = \(literal: .delivered) AND image_dropped_at IS NULL", limit: limit, now: now)
    }

    /// Selects cards whose last change is longer ago than a term, the oldest first; `nil` without a term.
    private static func over(_ term: Duration?, _ condition: SQL, limit: Int, now: Timestamp) -> SQL? {
        guard let term, term > .zero else { return nil }
        return """
            SELECT id, changed_at FROM card WHERE \(condition)
            AND changed_at <= \(now.advanced(by: .zero - term)) ORDER BY changed_at LIMIT \(limit)
            """
    }
}

extension SandboxUpkeep {
    /// Deletes the images of at most `limit` delivered cards that are past their retention; the cards stay.
    ///
    /// Like ``eraseExpired(_:limit:by:now:)``, does nothing while the clock is in doubt.
    ///
    /// - Returns: how many cards lost their image.
    @discardableResult
    package func dropImages(
        _ terms: RetentionTerms,
        limit: Int = Limits.cardsPerRetention,
        by person: AccessOrigin? = nil,
        now: Timestamp
    ) async throws -> Int {
        let hasTerm = terms.imagesExpired(limit: 1, now: now) != nil
        guard hasTerm, try await self.recordClock(now).doubted == nil else { return 0 }
        var count = 0
        while let query = terms.imagesExpired(limit: min(Limits.cardsPerErasure, limit - count), now: now) {
            let cards = try await self.write(at: now) { tx in
                let cards: [CardID] = try tx.values(query)
                if let person, !cards.isEmpty {
                    // The purpose tells this line from that of an erasure, of which there is a certificate.
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

    /// Erases at most `limit` cards whose retention is over; none while the clock is in doubt (see ``ClockGuard``).
    ///
    /// - Parameters:
    ///   - terms: how long cards are stored.
    ///   - limit: the maximum number of cards of this call.
    /// - Returns: a certificate for each erased card; none when nothing is left to do.
    /// - Throws: an error of the sandbox, if nothing was erased before it.
    @discardableResult
    package func eraseExpired(
        _ terms: RetentionTerms,
        limit: Int = Limits.cardsPerRetention,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [ErasureCertificate] {
        guard try await self.recordClock(now).doubted == nil else { return [] }
        let erasure = Erasure(store: self.sandbox, reason: .retention, origin: origin, now: now)
        var erased: [CardID] = []
        while erased.count < limit {
            let batchLimit = min(Limits.cardsPerErasure, limit - erased.count)
            // Selected within the transaction, since a card may become active again at any time.
            do {
                let batch = try await self.write(at: now) { tx in
                    var cards: [CardID] = []
                    for query in terms.expired(limit: batchLimit, now: now) where cards.count < batchLimit {
                        cards += try tx.values(query)
                    }
                    return try erasure.erase(Array(cards.prefix(batchLimit)), in: tx)
                }
                if batch.isEmpty { break }
                erased += batch
            } catch {
                // Throwing now would lose the certificates of the cards erased so far; the next call reports a permanent error.
                guard !erased.isEmpty else { throw error }
                break
            }
        }
        return erased.isEmpty ? [] : try await erasure.finish(erased)
    }

    /// Returns the cards that `eraseExpired` would erase if a person confirmed the clock, and since when each is in its state.
    /// Changes nothing.
    ///
    /// - Returns: `nil` if the clock is so far behind that no card expires.
    package func expired(_ terms: RetentionTerms, now: Timestamp) async throws -> [(card: CardID, since: Timestamp)]? {
        try await self.read(at: now) { tx in
            let stored = try Self.seenTime(in: tx)
            let updated = stored.updated(at: now, isConfirmed: true)
            guard updated.doubted == nil else { return nil }
            // Confirming the clock would date cards anew that a clock far behind has dated, so these do not expire.
            let unknown = try Self.wasBehind(stored, updated, in: tx) ? stored.last : nil
            return try terms.expired(limit: Int(Int32.max), now: now)
                .flatMap { query in
                    try tx.rows(query) { row in (card: try row.next(CardID.self), since: try row.next(Timestamp.self)) }
                }
                .filter { card in unknown.map { card.since > $0 } ?? true }
        }
    }

    /// Returns how many cards, or images of cards, are past their retention; 0 while the clock is in doubt.
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

    /// Compares the clock with the last right time and stores the result; dates cards anew if a wrong clock dated them.
    ///
    /// - Parameter isConfirmed: whether a person confirms that a clock that has jumped ahead is right.
    @discardableResult
    package func recordClock(_ now: Timestamp, isConfirmed: Bool = false) async throws -> ClockGuard {
        while true {
            let recorded = try await self.write(at: now) { try Self.recordClock(isConfirmed: isConfirmed, in: $0) }
            if let recorded { return recorded }
        }
    }

    /// Does the work of ``recordClock(_:isConfirmed:)`` for a limited number of cards.
    ///
    /// - Returns: `nil` if more cards must be dated anew, so that this must be called again.
    @discardableResult
    static func recordClock(isConfirmed: Bool = false, in tx: Transaction) throws -> ClockGuard? {
        let stored = try self.seenTime(in: tx)
        let updated = stored.updated(at: tx.now, isConfirmed: isConfirmed)
        guard updated != stored else { return updated }
        var wrong: [SQL] = []
        // The clock was fast before: cards that it dated would be stored too long.
        if updated.last < stored.last || stored.doubted != nil && updated.doubted == nil {
            wrong.append("changed_at > \(updated.last)")
        }
        // The clock was far behind before: the age of cards that it dated is unknown, so it counts from now.
        if try self.wasBehind(stored, updated, in: tx) { wrong.append("changed_at <= \(stored.last)") }
        for condition in wrong {
            let cards: SQL = """
                SELECT id FROM card WHERE \(RetentionTerms.mayExpire) AND \(condition) LIMIT \(Limits.cardsPerDating)
                """
            let dated: SQL = "UPDATE card SET changed_at = \(updated.last) WHERE id IN (\(cards)) RETURNING number"
            let numbers = try tx.values(dated, as: BusinessNumber.self)
            // The case stores a date of its cards, too: since when another submitter's photo waits.
            tx.changed.formUnion(numbers)
            if numbers.count == Limits.cardsPerDating { return nil }
        }
        try tx.run(
            """
            UPDATE store SET seen_at = \(updated.last), doubted_since = \(updated.doubted?.lowerBound),
            doubted_until = \(updated.doubted?.upperBound)
            """
        )
        return updated
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

    /// Whether the stored time is wrong, not merely old: it is impossible, or far before the admission of a card.
    private static func wasBehind(_ stored: ClockGuard, _ updated: ClockGuard, in tx: Transaction) throws -> Bool {
        let latest = stored.last.advanced(by: Limits.largestClockStep)
        guard updated.last > latest else { return false }
        return try stored.last < Limits.earliestTime
            || tx.exists("SELECT 1 FROM card WHERE created_at > \(latest) LIMIT 1")
    }
}

/// The last time that counts as right; and the range of a clock that is in doubt, because it has jumped far from that time.
///
/// A wrong clock must not make cards expire, since erased cards do not come back. After a jump, forward or back, the clock is in
/// doubt until it has run steadily for a while: no card expires, and no change of a card is dated before the last right time.
/// Then the clock counts as right, and cards that a wrong clock dated count from that moment. A small backward step does not
/// change the last right time.
package struct ClockGuard: Hashable, Sendable {
    /// The last time that counts as right.
    package let last: Timestamp
    /// The first and the last time that a clock in doubt has shown.
    package private(set) var doubted: ClosedRange<Timestamp>?

    /// Returns the state after the clock has shown a time.
    ///
    /// - Parameter isConfirmed: whether a person confirms the clock; ignored for a clock that jumped back.
    func updated(at now: Timestamp, isConfirmed: Bool) -> ClockGuard {
        if now > self.last.advanced(by: .zero - Limits.largestClockStep),
            isConfirmed || now <= self.last.advanced(by: Limits.largestClockStep)
        {
            return ClockGuard(last: max(self.last, now))
        }
        if let doubted, now >= doubted.upperBound.advanced(by: .zero - Limits.smallestClockStep),
            now <= doubted.upperBound.advanced(by: Limits.longestClockGap)
        {
            // The clock in doubt has run steadily since the lower bound.
            guard now < doubted.lowerBound.advanced(by: Limits.steadyClock) else { return ClockGuard(last: now) }
            return ClockGuard(last: self.last, doubted: doubted.lowerBound...max(doubted.upperBound, now))
        }
        return ClockGuard(last: self.last, doubted: now...now)
    }
}
