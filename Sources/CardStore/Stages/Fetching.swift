package import CardModel
package import Foundation

extension SandboxStages {
    // MARK: Claiming

    /// Returns the hosts of images that are due, the host with the most urgent image first; `nil` stands for images whose
    /// address our rules forbid.
    package func fetchHosts(now: Timestamp) async throws -> [String?] {
        guard try await self.wake(.fetching, now: now) else { return [] }
        let ready: SQL = "card.state = \(literal: .fetching) AND card.worker IS NULL AND card.waits = 0"
        return try await self.read { tx in
            func first(_ isHost: SQL) -> SQL {
                "SELECT id FROM card WHERE \(ready) AND host \(isHost) ORDER BY priority DESC, intake_order LIMIT 1"
            }
            // The recursion steps from host to host by the index, without reading the cards between.
            return try tx.values(
                """
                WITH RECURSIVE hosts (name) AS (
                    SELECT min(host) FROM card WHERE \(ready) AND host > ''
                    UNION ALL SELECT (SELECT min(host) FROM card WHERE \(ready) AND host > name) FROM hosts WHERE name > ''
                )
                SELECT host FROM card WHERE card.id IN (
                    SELECT CASE WHEN name IS NULL THEN (\(first("IS NULL"))) ELSE (\(first("= name"))) END FROM hosts
                ) ORDER BY priority DESC, intake_order
                """
            )
        }
    }

    /// Claims cards, to fetch their images from a host.
    ///
    /// - Parameter untriedFirst: whether images that have not failed go first, then the one that failed longest ago; for a host
    ///   that fails.
    package func claimFetching(
        from host: String?,
        by worker: Worker,
        limit: Int,
        untriedFirst: Bool,
        now: Timestamp
    ) async throws -> Claimed<FetchJob> {
        let ofHost: SQL = host.map { "host = \($0)" } ?? "host IS NULL"
        guard try await self.wake(.fetching, by: worker, now: now) else { return Claimed() }
        let turns = Self.turns(.fetching, of: ofHost, untriedFirst: untriedFirst, now: now)
        return try await self.claim(.fetching, turns, by: worker, limit: limit, now: now) {
            (try $0.card(self.vault), try self.request(for: $0, in: $1))
        }
    }

    /// Returns the address of a card, with the stored bytes that a fetch need not repeat.
    private func request(for row: CardRow, in tx: Transaction) throws -> FetchRequest {
        let stored = try self.records.address(of: row.id, key: row.key(self.vault), in: tx)
        // Without a validator, stored and new bytes may belong to different images.
        let kept = stored.version?.validator == nil ? [] : try self.records.sourceRanges(of: row.id, in: tx)
        return FetchRequest(address: stored.address, stored: kept, version: kept.isEmpty ? nil : stored.version)
    }

    // MARK: Storing

    /// Makes bytes of an image durable; deletes stored bytes of another version.
    ///
    /// - Throws: `card_conflict` if the worker of the job no longer has the claim.
    package func storeChunk(_ bytes: Data, at offset: Int, of job: FetchJob, version: FetchedVersion) async throws {
        let id = job.card.id
        try await self.write(byteCount: bytes.count, usesReserve: false) { tx in
            guard let row = try CardRow.fetch(id, in: tx), row.state == .fetching, row.worker == job.worker else {
                throw CodedError(.cardConflict, .conflict, .cardNotFetchedHere(id))
            }
            let key = try row.key(self.vault)
            var stored = try self.records.address(of: id, key: key, in: tx)
            // Without a validator, a fetch from the start may bring another image.
            let isRestart = version.validator == nil && offset == 0
            let joined = isRestart ? nil : stored.version?.joined(with: version)
            if joined == nil { try self.dropPieces(of: id, in: tx) }
            if stored.version != joined ?? version {
                stored.version = joined ?? version
                try self.records.putAddress(stored, of: id, key: key, in: tx)
            }
            try self.records.putSource(bytes, at: offset, of: id, key: key, in: tx)
        }
    }

    // MARK: Concluding

    /// Stores the outcome of an attempt to fetch, and what follows; releases the claim.
    ///
    /// Not the number of failed attempts is limited but their time, so that an outage of an hour makes no card fail.
    ///
    /// - Parameter retryDelay: how long the card waits after a failure.
    /// - Returns: the current state of the card; `nil` if it was deleted: it was fetched beside a known card and is not a new
    ///   photo.
    @discardableResult
    package func conclude(
        _ job: FetchJob,
        with outcome: FetchOutcome,
        startedAt: Timestamp,
        retryDelay: Duration,
        now: Timestamp
    ) async throws -> CardChange? {
        let id = job.card.id
        return try await self.write(at: now, locking: [job.card.metadata.businessNumber]) { tx in
            guard let row = try CardRow.fetch(id, in: tx) else { return nil }
            if row.state != .erased { try self.logAttempt(outcome, of: job, startedAt: startedAt, in: tx) }
            guard row.state == .fetching, row.worker == job.worker else { return CardChange(row) }
            try self.applyOutcome(to: row, outcome, retryDelay, in: tx)
            return try CardRow.fetch(id, in: tx).map(CardChange.init)
        }
    }

    private func applyOutcome(to row: CardRow, _ outcome: FetchOutcome, _ retryDelay: Duration, in tx: Transaction)
        throws
    {
        switch outcome {
        case .interrupted:
            try self.release(row, after: row.history, until: tx.now.advanced(by: Limits.fetchSpaceWait), in: tx)
        case .fetched: try self.complete(row, retryDelay, in: tx)
        case .forbidden(let error): try self.finish(row, Transition(.failed, error.code, error.message), in: tx)
        case .unusable(let error):
            try self.records.dropSource(of: row.id, in: tx)
            try self.finish(row, Transition(.rejected, error.code, error.message), in: tx)
        case .failed(let failure): try self.applyFetchFailure(to: row, failure: failure, retryDelay, in: tx)
        }
    }

    /// Moves a card whose bytes are complete to `received`, unless another card of its number has the same image.
    private func complete(_ row: CardRow, _ retryDelay: Duration, in tx: Transaction) throws {
        let key = try row.key(self.vault)
        guard let bytes = try self.whole(row, key: key, in: tx) else {
            try self.dropPieces(of: row.id, in: tx)
            let failure = RemoteFailure(.transient, code: "image_incomplete", message: .cardImageIncomplete)
            return try self.applyFetchFailure(to: row, failure: failure, retryDelay, in: tx)
        }
        let source = self.vault.fingerprint(ContentDigest(of: bytes).bytes, .source)
        let number = row.number
        // Not this card itself: a rejected one that is fetched again may already have the fingerprint.
        let isSame: SQL = "card.source = \(source) AND card.id <> \(row.id)"
        if let same = try self.sandbox.intake.firstCard(of: number, where: isSame, for: row.submitter, in: tx) {
            return try self.supersedeDuplicate(row, into: same, content: .received(bytes), in: tx)
        }
        if row.beside != nil {
            let location = try self.sandbox.intake.location(self.records.address(of: row.id, key: key, in: tx).address)
            try tx.run("UPDATE input SET card = \(row.id) WHERE location = \(location) AND number = \(number)")
        }
        try self.sandbox.intake.releaseSource(source, of: number, for: row.id, in: tx)
        try tx.run("DELETE FROM blob WHERE card = \(row.id) AND kind = \(BlobKind.address)")
        let also: SQL = ", source = \(source), \(Transition.fresh)"
        // One that was fetched beside a known card is a new photo only now.
        let isLate = try row.beside != nil && self.sandbox.intake.isCaseEnded(number, in: tx)
        let next = isLate ? SandboxIntake.holdLate(row.id) : Transition(.received)
        try self.records.move(row, next, also: also, in: tx)
    }

    /// Supersedes a card whose image another card of the same number already has. The input then names that card, unless it
    /// belongs to another submitter.
    func supersedeDuplicate(_ row: CardRow, into known: CardRow, content: NewCard.Content, in tx: Transaction) throws {
        let name = try self.records.inputName(of: row, key: row.key(self.vault))
        let metadata = try row.card(self.vault).metadata
        let said = Said(metadata: metadata, name: name, submitter: row.submitter, content: content)
        if row.beside != nil {
            try self.dropFetch(row, in: tx)
        } else {
            try self.records.dropSource(of: row.id, in: tx)
            let sender = try tx.value("SELECT sent_by FROM card WHERE id = \(row.id)", as: String.self) ?? row.submitter
            let isKnown = known.isKnown(to: row.submitter, sentBy: sender)
            let message: Message = isKnown ? .cardDuplicate(of: known.id) : .cardOfOtherSubmitter
            // Clears the fingerprint, so that the same bytes are recognised as the known card.
            let also: SQL = ", source = NULL, due_at = NULL"
            try self.records.move(row, Transition(.superseded, .duplicate, message), also: also, in: tx)
            if isKnown { try tx.run("UPDATE input SET card = \(known.id) WHERE card = \(row.id)") }
        }
        // Of the two submissions, the later one's metadata counts.
        guard known.order < row.order else { return }
        _ = try self.sandbox.intake.amend(known, with: said, in: tx)
    }

    /// Deletes a card that was fetched beside a known one, without a trace, since its id was never reported.
    func dropFetch(_ row: CardRow, in tx: Transaction) throws {
        try Erasure.destroy(row.id, in: tx)
        try tx.run("UPDATE attempt SET subject = \(row.beside) WHERE subject = \(row.id)")
        try tx.run("DELETE FROM card WHERE id = \(row.id)")
    }

    /// Returns the stored bytes of an image; `nil` if a piece is missing or damaged, or the host announced another length.
    private func whole(_ row: CardRow, key: CardKey, in tx: Transaction) throws -> Data? {
        let byteCount = try self.records.address(of: row.id, key: key, in: tx).version?.byteCount
        guard let bytes = try? self.records.source(of: row.id, key: key, in: tx),
            bytes.count == byteCount ?? bytes.count
        else {
            return nil
        }
        return bytes
    }

    private func dropPieces(of card: CardID, in tx: Transaction) throws {
        try tx.run("DELETE FROM blob WHERE card = \(card) AND kind = \(BlobKind.source)")
    }

    /// Rejects or fails a card after a failed fetch, or has it fetched again later.
    private func applyFetchFailure(
        to row: CardRow,
        failure: RemoteFailure,
        _ retryDelay: Duration,
        in tx: Transaction
    ) throws {
        // A request may name an image before the host has it, so its refusal is not final for a while; for a list it is.
        let patience = Wait(from: row.createdAt, until: row.createdAt.advanced(by: Limits.imagePatience))
        let isYoung = row.submitter != Caller.process.subject && !patience.isOver(at: tx.now)
        guard failure.failureClass != .rejected || isYoung else {
            return try self.finish(row, Transition(.rejected, .refusedByRemote, failure), in: tx)
        }
        let counts = ![.throttled, .notSent, .rejected].contains(failure.failureClass)
        var history = try row.history.adding(counts ? .always : .never, in: tx)
        // Restarts the time of failed attempts after a gap, in which no process was at work or the clock was set.
        let began = try self.startOfAttempts(of: row, in: tx)
        if began.advanced(by: .milliseconds(Limits.fetchGap)) < tx.now { history.countsFrom = tx.now }
        // Ignores dates in the future, which a fast clock wrote.
        let since = [history.countsFrom ?? tx.now, row.changedAt].filter { $0 <= tx.now }.max() ?? tx.now
        let isTooOld = since.advanced(by: .milliseconds(Limits.longestFetch)) <= tx.now
        guard !isTooOld else {
            return try self.finish(row, Transition(.failed, .attemptsExhausted, failure), in: tx)
        }
        // After a throttle the gate of the host waits for all its images; any other requested wait concerns this image alone.
        let asked = failure.failureClass == .throttled ? nil : failure.retryAfter
        let due = tx.now.advanced(by: max(retryDelay, asked ?? .zero))
        try self.release(row, after: history, until: due, in: tx)
    }

    /// When the card could be fetched again: after its own wait, and after a pause of its host that began during that wait.
    private func startOfAttempts(of row: CardRow, in tx: Transaction) throws -> Timestamp {
        guard let due = row.due?.until else { return tx.now }
        let pauseEnd: Timestamp? = try tx.value(
            """
            SELECT pause.until FROM pause JOIN card ON card.host = pause.host
            WHERE card.id = \(row.id) AND pause.stage = \(literal: .fetch) AND pause.since <= \(due)
            """
        )
        return max(due, pauseEnd ?? due)
    }

    /// Finishes a card. If it was fetched beside a known card, it is deleted instead, with an event in the known card's history.
    func finish(_ row: CardRow, _ transition: Transition, in tx: Transaction) throws {
        guard let beside = row.beside else {
            try self.records.move(row, transition, also: ", due_at = NULL", in: tx)
            return
        }
        try self.dropFetch(row, in: tx)
        let known = try CardRow.require(beside, in: tx)
        guard let reason = transition.reason, let cause = transition.message else { return }
        let finding = VerdictFinding(reason, .warn, message: .cardNotFetchedAgain(cause))
        _ = try CardRecords.nilIfUnreadable { try self.logWarning(finding, of: known, in: known.state, in: tx) }
    }

    /// Stores a finished attempt of a fetch; unlike other attempts, it is not stored at its beginning.
    private func logAttempt(_ outcome: FetchOutcome, of job: FetchJob, startedAt: Timestamp, in tx: Transaction) throws
    {
        let code: String?
        switch outcome {
        // An interrupted attempt is continued later, and logged then.
        case .interrupted: return
        case .fetched: code = nil
        case .forbidden(let error), .unusable(let error): code = error.code.rawValue
        case .failed(let failure): code = failure.code
        }
        try tx.run(
            """
            INSERT INTO attempt (stage, subject, worker, started_at, ended_at, class, code)
            VALUES (\(literal: .fetch), \(job.card.id), \(job.worker), \(startedAt), \(tx.now), \(outcome.failureClass), \(code))
            """
        )
    }
}

extension FetchedVersion {
    /// Returns this version with the size of another answer; `nil` if the answer is about another version. A size that only one
    /// of the answers has does not mean another version.
    fileprivate func joined(with other: FetchedVersion) -> FetchedVersion? {
        guard self.validator == other.validator else { return nil }
        if let byteCount, let said = other.byteCount, byteCount != said { return nil }
        return FetchedVersion(validator: self.validator, byteCount: self.byteCount ?? other.byteCount)
    }
}
