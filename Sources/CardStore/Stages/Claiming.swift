package import CardModel
package import Foundation

/// What a claim has brought.
package struct Claimed<Job: Sendable>: Sendable {
    package var jobs: [Job] = []
    /// The cards that it changed: those that cannot be unsealed fail.
    package var changes: [CardChange] = []
    /// Whether the next claim may find more at once.
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
    /// What the stage works on.
    package var content: Content
    /// A stored reading of these very bytes by this provider, which saves the call.
    package var reading: CardReading?
    /// The stored attempt, if the image must be posted.
    package var attempt: Int64?
    /// How often it has failed in a row.
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
    /// Claims prepared cards for verification and stores an attempt for each that must be posted.
    ///
    /// - Parameters:
    ///   - provider: the provider that reads.
    ///   - parameters: the parameters that change an answer; readings stored with the same ones are used again.
    ///   - limit: the most cards.
    ///   - scope: which cards may go.
    ///   - untriedFirst: whether cards that have not failed go first, then the one that failed longest ago; for while the
    ///     endpoint fails.
    package func claimVerification(
        by worker: Worker,
        provider: String,
        parameters: String,
        limit: Int,
        scope: ClaimScope = .all,
        untriedFirst: Bool,
        now: Timestamp
    ) async throws -> Claimed<VerificationJob> {
        // A card for a probe is not ready by itself.
        guard try await self.wake(.prepared, by: worker, now: now) || scope == .unreadable else { return Claimed() }
        let own: SQL = scope == .all ? "1 = 1" : Unreadable.isOfAnotherNumber
        let turns =
            scope == .unreadable
            ? [Unreadable.longestAgoFirst] : Self.turns(.prepared, of: own, untriedFirst: untriedFirst, now: now)
        return try await self.claim(.prepared, turns, by: worker, limit: limit, now: now) {
            try self.records.unseal($0, in: $1)
        } beginning: { row, tx in
            let own: SQL = "AND provider = \(provider) AND parameters = \(parameters)"
            // A reading that cannot be unsealed is requested again.
            if let known = try CardRecords.nilIfUnreadable({ try self.records.storedReading(of: row, own, in: tx) }),
                try known.image == CardRecords.nilIfUnreadable({ try self.records.unseal(row, in: tx) })?.image.digest
            {
                return (known.reading, nil)
            }
            return (nil, try self.beginAttempt(.verify, of: row.id.rawValue, cards: [row.id], worker: worker, in: tx))
        }
    }

    /// When the next unclaimed card in a state is due; `nil` if there is none.
    ///
    /// - Parameter time: skips cards that are due by then.
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

    // The list of states is redundant: the partial indexes of this work need it as their condition.
    private static func ready(in state: CardState, now: Timestamp) -> SQL {
        let readable: SQL = state == .prepared ? "AND \(Unreadable.mayGo(.verify, now: now))" : ""
        return """
            state = \(literal: state) AND state IN \(literals: .fetching, .received, .prepared) AND worker IS NULL AND waits = 0
            AND NOT \(Decision.holdsCard) \(readable)
            """
    }

    /// Selects cards that wait in a state although their time is over; one condition for each index.
    private static func over(in state: CardState, now: Timestamp) -> [SQL] {
        let ends: [SQL] = ["due_at <= \(now)", "due_from > \(now) AND 2 * due_from - due_at > \(now)"]
        return ends.map { "state = \(literal: state) AND waits = 1 AND \($0)" }
    }

    /// Ends the waits in a state that are over, so that a claim reads only cards that it can have, and returns whether there
    /// are any.
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
                let some: SQL = "SELECT id FROM card WHERE \(condition) LIMIT \(Limits.cardsPerWake)"
                try tx.run("UPDATE card SET waits = 0 WHERE id IN (\(some))")
            }
        }
        return true
    }

    /// Selects the cards in a state that may be claimed, by several conditions in turn.
    static func turns(_ state: CardState, of condition: SQL = "1 = 1", untriedFirst: Bool = false, now: Timestamp)
        -> [SQL]
    {
        let ready: SQL = "\(Self.ready(in: state, now: now)) AND \(condition)"
        let inTurn: SQL = "ORDER BY priority DESC, intake_order"
        guard untriedFirst else { return ["\(ready) \(inTurn)"] }
        // One query each: an order by failure would sort all cards that wait.
        return ["\(ready) AND failed_at IS NULL \(inTurn)", "\(ready) AND failed_at IS NOT NULL ORDER BY failed_at"]
    }

    /// Claims up to `limit` cards by several conditions in turn, and makes a job of each; a card that cannot be unsealed fails.
    ///
    /// - Parameters:
    ///   - open: unseals a card, and what the stage works on.
    ///   - begin: returns a reading that saves the call, or stores the attempt in the transaction of the claim.
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
                let some: SQL = "SELECT id FROM card WHERE \(turn) LIMIT \(limit - ids.count)"
                ids += try tx.values("UPDATE card SET worker = \(worker.id) WHERE id IN (\(some)) RETURNING id")
            }
            guard !ids.isEmpty else { return [] }
            return try CardRow.all("WHERE card.id IN \(list: ids) ORDER BY priority DESC, intake_order", in: tx)
                .map { row in (id: row.id, begun: try begin(row, tx)) }
        }
        // `nil` if the card was erased or another worker has it by now.
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

    /// Unseals each claim; one that cannot be unsealed ends here, so that it stops no other.
    ///
    /// - Parameters:
    ///   - open: throws `stored_image_unreadable` or `sandbox_damaged` if a claim cannot be unsealed; returns `nil` if it is no
    ///     longer the worker's, because it was erased or taken over meanwhile.
    ///   - end: ends the attempt, and the claim if it is still the worker's.
    func unsealed<Claim: Sendable, Job: Sendable>(
        _ claimed: [Claim],
        now: Timestamp,
        open: @escaping @Sendable (Claim, Transaction) throws -> Job?,
        orEnd end: @escaping @Sendable (Claim, Transaction) throws -> [CardChange]
    ) async throws -> Claimed<Job> {
        var opened = Claimed<Job>()
        // One at a time: images and sources are the largest values there are.
        for claim in claimed {
            if let job = try await self.read({ tx in try CardRecords.nilIfUnreadable { try open(claim, tx) } }) {
                opened.jobs.append(job)
            } else {
                opened.changes += try await self.write(at: now) { tx in try end(claim, tx) }
            }
        }
        return opened
    }

    /// Ends an attempt for which there was nothing to send.
    func endUnsent(_ attempt: Int64, in tx: Transaction) throws {
        let code = ReasonCode.imageUnreadable.rawValue
        let failure = RemoteFailure(.notSent, code: code, message: CardRecords.unreadable.message)
        try self.endAttempt(attempt, after: failure, in: tx)
    }

    /// The cards that other processes have claimed, and those of deliveries that they are sending; not those of a process that
    /// hangs.
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
