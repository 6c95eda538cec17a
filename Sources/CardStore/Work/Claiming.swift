package import CardModel

// Claims prepared cards for verification, and stores their attempts.
extension CardStore {
    /// Claims prepared cards for verification and stores an attempt for each that must be posted.
    ///
    /// - Parameters:
    ///   - provider: the provider that reads.
    ///   - parameters: the parameters that change an answer; readings stored with the same ones are used again.
    ///   - limit: the most cards.
    ///   - scope: which cards may go.
    ///   - untriedFirst: whether cards that have not failed go first, then the one that failed longest ago; for while the
    ///     endpoint fails.
    ///   - told: receives the changes of cards that cannot be unsealed, which fail.
    package func claimVerification(
        by worker: Worker,
        provider: String,
        parameters: String,
        limit: Int,
        scope: ClaimScope = .all,
        untriedFirst: Bool,
        now: Timestamp,
        reporting: (CardChange) -> Void = { _ in }
    ) async throws -> [VerificationJob] {
        // A card for a probe is not ready by itself.
        guard try await self.wake(.prepared, by: worker, now: now) || scope == .unreadable else { return [] }
        let own: SQL = scope == .all ? "1 = 1" : Unreadable.isOfAnotherNumber
        let claimed = try await self.write(at: now) { tx in
            let rows =
                scope == .unreadable
                ? try self.claim([Unreadable.longestAgoFirst], by: worker, limit: limit, in: tx)
                : try self.claim(.prepared, of: own, by: worker, limit: limit, untriedFirst: untriedFirst, in: tx)
            return try rows.map { row in
                try self.begin(row, worker: worker, provider: provider, parameters: parameters, in: tx)
            }
        }
        let toOpen = claimed.filter { $0.handed == nil }
        let opened = try await self.open(toOpen, now: now, reporting: reporting) { claim, tx -> VerificationJob? in
            guard let row = try self.claimed(claim.id, in: .prepared, by: worker, in: tx) else { return nil }
            return claim.job(try self.open(row, in: tx), of: worker)
        } orEnd: { claim, tx in
            if let attempt = claim.attempt { try self.endUnsent(attempt, in: tx) }
            return try self.endUnreadable(claim.id, in: .prepared, of: worker, in: tx)
        }
        return claimed.compactMap { claim in claim.handed.map { claim.job($0, of: worker) } } + opened
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
            if let worker { try self.require(worker, in: tx) }
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

    /// Claims some of the cards in a state, by a condition; changes nothing that decisions read.
    func claim(
        _ state: CardState,
        of condition: SQL = "1 = 1",
        by worker: Worker,
        limit: Int,
        untriedFirst: Bool,
        in tx: Transaction
    ) throws -> [CardRow] {
        let inTurn: SQL = "ORDER BY priority DESC, intake_order"
        // One query each: an order by failure would sort all cards that wait.
        let turns: [SQL] =
            untriedFirst
            ? ["AND failed_at IS NULL \(inTurn)", "AND failed_at IS NOT NULL ORDER BY failed_at"] : [inTurn]
        let ready: SQL = "\(Self.ready(in: state, now: tx.now)) AND \(condition)"
        return try self.claim(turns.map { "\(ready) \($0)" }, by: worker, limit: limit, in: tx)
    }

    /// Claims up to `limit` cards by several conditions in turn.
    private func claim(_ turns: [SQL], by worker: Worker, limit: Int, in tx: Transaction) throws -> [CardRow] {
        try self.require(worker, in: tx)
        var ids: [CardID] = []
        for turn in turns where ids.count < limit {
            let some: SQL = "SELECT id FROM card WHERE \(turn) LIMIT \(limit - ids.count)"
            ids += try tx.values("UPDATE card SET worker = \(worker.id) WHERE id IN (\(some)) RETURNING id")
        }
        guard !ids.isEmpty else { return [] }
        return try CardRow.all("WHERE card.id IN \(list: ids) ORDER BY priority DESC, intake_order", in: tx)
    }

    private struct Claimed: Sendable {
        let id: CardID
        let tries: Int
        var reading: CardReading?
        var attempt: Int64?
        /// The card with its image from the cache; `nil` if they must be read.
        let handed: (card: Card, image: PreparedImage)?

        func job(_ opened: (card: Card, image: PreparedImage), of worker: Worker) -> VerificationJob {
            VerificationJob(
                card: opened.card,
                image: opened.image,
                reading: self.reading,
                attempt: self.attempt,
                tries: self.tries,
                worker: worker.id
            )
        }
    }

    private func begin(
        _ row: CardRow,
        worker: Worker,
        provider: String,
        parameters: String,
        in tx: Transaction
    ) throws -> Claimed {
        let handed = self.preparedImages.image(of: row.id, isShrunk: row.isShrunk).flatMap { image in
            (try? row.card(self.vault)).map { (card: $0, image: image) }
        }
        var claim = Claimed(id: row.id, tries: row.history.tries, handed: handed)
        let own: SQL = "AND provider = \(provider) AND parameters = \(parameters)"
        // A reading that cannot be unsealed is requested again.
        if let known = try Self.nilIfUnreadable({ try self.storedReading(of: row, own, in: tx) }) ?? nil,
            try known.image == Self.nilIfUnreadable({ try self.open(row, in: tx) })?.image.digest
        {
            claim.reading = known.reading
            return claim
        }
        claim.attempt = try self.beginAttempt(.verify, of: row.id.rawValue, cards: [row.id], worker: worker, in: tx)
        return claim
    }

    /// Claims cards in a state and makes a job of each; a card that cannot be unsealed fails.
    ///
    /// - Parameter told: receives the changes of cards that fail.
    func claim<Job: Sendable>(
        _ state: CardState,
        by worker: Worker,
        now: Timestamp,
        reporting: (CardChange) -> Void,
        _ claim: @escaping @Sendable (Transaction) throws -> [CardRow],
        opening open: @escaping @Sendable (CardRow, Transaction) throws -> Job
    ) async throws -> [Job] {
        guard try await self.wake(state, by: worker, now: now) else { return [] }
        let claimed = try await self.write(at: now) { tx in try claim(tx).map(\.id) }
        return try await self.open(claimed, now: now, reporting: reporting) { id, tx in
            try self.claimed(id, in: state, by: worker, in: tx).map { try open($0, tx) }
        } orEnd: { id, tx in
            try self.endUnreadable(id, in: state, of: worker, in: tx)
        }
    }

    /// Unseals each claim; one that cannot be unsealed ends here, so that it stops no other.
    ///
    /// - Parameters:
    ///   - told: receives the changes of cards that end.
    ///   - open: throws `stored_image_unreadable` or `sandbox_damaged` if a claim cannot be unsealed; returns `nil` if it is no
    ///     longer the worker's, because it was erased or taken over meanwhile.
    ///   - end: ends the attempt, and the claim if it is still the worker's.
    func open<Claim: Sendable, Job: Sendable>(
        _ claimed: [Claim],
        now: Timestamp,
        reporting: (CardChange) -> Void,
        open: @escaping @Sendable (Claim, Transaction) throws -> Job?,
        orEnd end: @escaping @Sendable (Claim, Transaction) throws -> [CardChange]
    ) async throws -> [Job] {
        var jobs: [Job] = []
        // One at a time: images and sources are the largest values there are.
        for claim in claimed {
            let job = try await self.read { tx in try Self.nilIfUnreadable { try open(claim, tx) } ?? nil }
            if let job {
                jobs.append(job)
            } else {
                try await self.write(at: now) { tx in try end(claim, tx) }.forEach(reporting)
            }
        }
        return jobs
    }

    /// A claimed card; `nil` if it was erased or another worker has it by now.
    func claimed(_ id: CardID, in state: CardState, by worker: Worker, in tx: Transaction) throws -> CardRow? {
        let row = try CardRow.require(id, in: tx)
        return row.state == state && row.worker == worker.id ? row : nil
    }

    /// Fails a claimed card that cannot be unsealed, unless another worker has it by now.
    func endUnreadable(_ id: CardID, in state: CardState, of worker: Worker, in tx: Transaction) throws -> [CardChange]
    {
        guard let row = try self.claimed(id, in: state, by: worker, in: tx) else { return [] }
        return [try self.failUnreadable(row, in: tx)]
    }

    /// Ends an attempt for which there was nothing to send.
    func endUnsent(_ attempt: Int64, in tx: Transaction) throws {
        let code = ReasonCode.imageUnreadable.rawValue
        let failure = RemoteFailure(.notSent, code: code, message: Self.unreadable.message)
        try self.endAttempt(attempt, after: failure, in: tx)
    }
}

extension Transaction {
    fileprivate func hasCard(_ condition: SQL) throws -> Bool {
        try self.exists("SELECT 1 FROM card WHERE \(condition)")
    }
}
