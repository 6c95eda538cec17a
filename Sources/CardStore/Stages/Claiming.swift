package import CardModel
package import Foundation

/// The result of a claim.
package struct Claimed<Job: Sendable>: Sendable {
    package var jobs: [Job] = []
    /// The changes of cards that the claim caused: a card that cannot be unsealed fails.
    package var changes: [CardChange] = []
    /// Whether another claim may find more at once.
    package var isPartial = false

    package init(_ jobs: [Job] = []) { self.jobs = jobs }

    package mutating func add(_ other: Claimed) {
        self.jobs += other.jobs
        self.changes += other.changes
        self.isPartial = self.isPartial || other.isPartial
    }

    package func map<Other>(_ transform: (Job) -> Other) -> Claimed<Other> {
        var mapped = Claimed<Other>(self.jobs.map(transform))
        (mapped.changes, mapped.isPartial) = (self.changes, self.isPartial)
        return mapped
    }
}

/// A card that a worker has claimed for a stage.
package struct CardJob<Content: Sendable>: Sendable {
    package var card: Card
    /// The input of the stage, such as an image.
    package var content: Content
    /// A stored reading of the same bytes by the same provider, which saves the call.
    package var reading: CardReading?
    /// The stored attempt, if the image must be sent.
    package var attempt: Int64?
    /// How often the card has failed in a row.
    package var tries: Int
    let worker: String
}

/// The address of an image, and the bytes that are stored already.
package typealias FetchJob = CardJob<FetchRequest>
/// The source bytes of an image.
package typealias PreparationJob = CardJob<Data>
package typealias VerificationJob = CardJob<PreparedImage>

// Claims cards, and stores the attempts of those that are verified.
extension SandboxStages {
    /// Claims prepared cards for verification, and stores an attempt for each card whose image must be sent.
    ///
    /// - Parameters:
    ///   - provider: the service that reads the images.
    ///   - parameters: the parameters that change an answer; readings stored with the same ones are used again.
    ///   - limit: the maximum number of cards.
    ///   - scope: which cards may go.
    ///   - untriedFirst: whether cards that have not failed go first, then the one that failed longest ago; for an endpoint
    ///     that fails.
    package func claimVerification(
        by worker: Worker,
        provider: String,
        parameters: String,
        limit: Int,
        scope: ClaimScope = .all,
        untriedFirst: Bool,
        now: Timestamp
    ) async throws -> Claimed<VerificationJob> {
        // A card for a probe does not count as ready.
        guard try await self.wake(.prepared, by: worker, now: now) || scope == .unreadable else { return Claimed() }
        let inScope: SQL = scope == .all ? "1 = 1" : Unreadable.isOfAnotherNumber
        let turns =
            scope == .unreadable
            ? [Unreadable.longestAgoFirst] : Self.turns(.prepared, of: inScope, untriedFirst: untriedFirst, now: now)
        return try await self.claim(.prepared, turns, by: worker, limit: limit, now: now) {
            try self.records.unseal($0, in: $1)
        } beginning: { row, tx in
            let which: SQL = "AND provider = \(provider) AND parameters = \(parameters)"
            // A reading that cannot be unsealed is requested again.
            if let known = try CardRecords.nilIfUnreadable({ try self.records.storedReading(of: row, which, in: tx) }),
                try known.image == CardRecords.nilIfUnreadable({ try self.records.unseal(row, in: tx) })?.image.digest
            {
                return (known.reading, nil)
            }
            return (nil, try self.beginAttempt(.verify, of: row.id.rawValue, cards: [row.id], worker: worker, in: tx))
        }
    }

    /// When the next unclaimed card in a state is due; `nil` if there is none, a time in the past if a card is due now.
    ///
    /// - Parameter time: skips cards that are due by this time.
    package func nextDue(in state: CardState, after time: Timestamp? = nil, now: Timestamp) async throws -> Timestamp? {
        let later: SQL = time.map { "AND due_at > \($0) AND 2 * due_from - due_at <= \($0)" } ?? ""
        return try await self.read { tx in
            if time == nil,
                try ([Self.ready(in: state, now: now)] + Self.over(in: state, now: now)).contains(where: tx.hasCard)
            {
                return Timestamp(millisecondsSinceEpoch: 0)
            }
            let next: SQL = "SELECT min(due_at) FROM card WHERE state = \(literal: state) AND waits = 1 \(later)"
            return try tx.value(next)
        }
    }

    /// Selects unclaimed cards in a state that have no wait. The list of states is redundant, but SQLite uses the partial index
    /// on these states only if the query has the same condition.
    private static func ready(in state: CardState, now: Timestamp) -> SQL {
        let readable: SQL = state == .prepared ? "AND \(Unreadable.mayGo(.verify, now: now))" : ""
        return """
            state = \(literal: state) AND state IN \(literals: .fetching, .received, .prepared) AND worker IS NULL AND waits = 0
            AND NOT \(Decision.holdsCard) \(readable)
            """
    }

    /// Selects cards whose wait is over but still stored; one condition for each index.
    private static func over(in state: CardState, now: Timestamp) -> [SQL] {
        let ends: [SQL] = ["due_at <= \(now)", "due_from > \(now) AND 2 * due_from - due_at > \(now)"]
        return ends.map { "state = \(literal: state) AND waits = 1 AND \($0)" }
    }

    /// Deletes the waits in a state that are over, so that a claim need not read waiting cards; returns whether a card can be
    /// claimed.
    func wake(_ state: CardState, by worker: Worker? = nil, now: Timestamp) async throws -> Bool {
        let (isReady, over) = try await self.read(at: now) { tx in
            if let worker { try self.sandbox.upkeep.requireLock(of: worker, in: tx) }
            return (
                try tx.hasCard(Self.ready(in: state, now: now)), try Self.over(in: state, now: now).filter(tx.hasCard)
            )
        }
        guard !over.isEmpty else { return isReady }
        try await self.write(at: now) { tx in
            for condition in over {
                let portion: SQL = "SELECT id FROM card WHERE \(condition) LIMIT \(Limits.cardsPerWake)"
                try tx.run("UPDATE card SET waits = 0 WHERE id IN (\(portion))")
            }
        }
        return true
    }

    /// Returns the conditions by which cards in a state are claimed: those of the second only once none of the first is left.
    static func turns(_ state: CardState, of condition: SQL = "1 = 1", untriedFirst: Bool = false, now: Timestamp)
        -> [SQL]
    {
        let ready: SQL = "\(Self.ready(in: state, now: now)) AND \(condition)"
        let inTurn: SQL = "ORDER BY priority DESC, intake_order"
        guard untriedFirst else { return ["\(ready) \(inTurn)"] }
        // Two queries, each with an index: in a single one, ordering by failure would sort all waiting cards.
        return ["\(ready) AND failed_at IS NULL \(inTurn)", "\(ready) AND failed_at IS NOT NULL ORDER BY failed_at"]
    }

    /// Claims up to `limit` cards by several conditions in turn, and makes a job of each; a card that cannot be unsealed fails.
    ///
    /// - Parameters:
    ///   - open: unseals a card, and the input of the stage.
    ///   - begin: returns a reading that saves the call, or stores the attempt, in the transaction of the claim.
    func claim<Content: Sendable>(
        _ state: CardState,
        _ turns: [SQL],
        by worker: Worker,
        limit: Int,
        now: Timestamp,
        opening open: @escaping @Sendable (CardRow, Transaction) throws -> (Card, Content),
        beginning begin: @escaping @Sendable (CardRow, Transaction) throws -> (CardReading?, attempt: Int64?) = {
            _,
            _ in
            (nil, nil)
        }
    ) async throws -> Claimed<CardJob<Content>> {
        typealias Claim = (id: CardID, begun: (CardReading?, attempt: Int64?))
        let claimed = try await self.write(at: now) { tx -> [Claim] in
            try self.sandbox.upkeep.requireLock(of: worker, in: tx)
            var ids: [CardID] = []
            for turn in turns where ids.count < limit {
                let selected: SQL = "SELECT id FROM card WHERE \(turn) LIMIT \(limit - ids.count)"
                ids += try tx.values("UPDATE card SET worker = \(worker.id) WHERE id IN (\(selected)) RETURNING id")
            }
            guard !ids.isEmpty else { return [] }
            return try CardRow.all("WHERE card.id IN \(list: ids) ORDER BY priority DESC, intake_order", in: tx)
                .map { row in (id: row.id, begun: try begin(row, tx)) }
        }
        // `nil` if the card was erased, or another worker has claimed it meanwhile.
        @Sendable func row(_ id: CardID, _ tx: Transaction) throws -> CardRow? {
            let row = try CardRow.require(id, in: tx)
            return row.state == state && row.worker == worker.id ? row : nil
        }
        return try await self.unsealed(claimed, now: now) { claim, tx in
            guard let row = try row(claim.id, tx) else { return nil }
            let ((card, content), (reading, attempt)) = (try open(row, tx), claim.begun)
            return CardJob(
                card: card,
                content: content,
                reading: reading,
                attempt: attempt,
                tries: row.history.tries,
                worker: worker.id
            )
        } orEnd: { claim, tx in
            if let attempt = claim.begun.attempt { try self.endUnsent(attempt, in: tx) }
            return try row(claim.id, tx).map { [try self.records.failUnreadable($0, in: tx)] } ?? []
        }
    }

    /// Unseals what was claimed. A claim that cannot be unsealed ends here, so that it does not stop the others.
    ///
    /// - Parameters:
    ///   - open: throws `stored_image_unreadable` or `sandbox_damaged` if the values cannot be unsealed; returns `nil` if the
    ///     worker no longer has the claim, because the card was erased or taken over.
    ///   - end: ends the attempt; and the claim, if the worker still has it.
    func unsealed<Claim: Sendable, Job: Sendable>(
        _ claimed: [Claim],
        now: Timestamp,
        open: @escaping @Sendable (Claim, Transaction) throws -> Job?,
        orEnd end: @escaping @Sendable (Claim, Transaction) throws -> [CardChange]
    ) async throws -> Claimed<Job> {
        var opened = Claimed<Job>()
        // One at a time, since images and sources are large.
        for claim in claimed {
            if let job = try await self.read({ tx in try CardRecords.nilIfUnreadable { try open(claim, tx) } }) {
                opened.jobs.append(job)
            } else {
                opened.changes += try await self.write(at: now) { tx in try end(claim, tx) }
            }
        }
        return opened
    }

    /// Ends an attempt that had nothing to send, because a stored value cannot be unsealed.
    func endUnsent(_ attempt: Int64, in tx: Transaction) throws {
        let code = ReasonCode.imageUnreadable.rawValue
        let failure = RemoteFailure(.notSent, code: code, message: CardRecords.unreadable.message)
        try self.endAttempt(attempt, after: failure, in: tx)
    }

    /// Returns the cards that other processes have claimed, alone or in a delivery; without those of a process that hangs.
    package func claimedByOthers(than worker: Worker, now: Timestamp) async throws -> Set<CardID> {
        let seen = Timestamp(millisecondsSinceEpoch: now.millisecondsSinceEpoch - Limits.hangingAfter)
        let others: SQL = "SELECT id FROM worker WHERE id <> \(worker.id) AND seen_at > \(seen)"
        return try await self.read { tx in
            let cards: SQL = """
                SELECT id FROM card WHERE worker IN (\(others)) UNION ALL
                SELECT delivery_card.card FROM delivery_card JOIN delivery ON delivery.id = delivery_card.delivery
                WHERE delivery.worker IN (\(others))
                """
            return Set(try tx.values(cards))
        }
    }
}

extension Transaction {
    fileprivate func hasCard(_ condition: SQL) throws -> Bool {
        try self.exists("SELECT 1 FROM card WHERE \(condition)")
    }
}
