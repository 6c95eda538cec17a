package import CardModel

extension SandboxStages {
    /// Claims received cards, to prepare their images.
    package func claimPreparation(by worker: Worker, limit: Int, now: Timestamp) async throws -> Claimed<PreparationJob>
    {
        guard try await self.wake(.received, by: worker, now: now) else { return Claimed() }
        let turns = Self.turns(.received, now: now)
        return try await self.claim(.received, turns, by: worker, limit: limit, now: now) {
            (try $0.card(self.vault), try self.records.source(of: $0.id, key: $0.key(self.vault), in: $1))
        }
    }

    /// Stores the image of a claimed card and deletes its source; or applies the error because of which there is no image.
    ///
    /// - Parameter retryDelay: how long the card waits if time or memory did not suffice.
    /// - Returns: the current state of the card.
    @discardableResult
    package func conclude(
        _ job: PreparationJob,
        with result: Result<PreparedImage, CodedError>,
        retryDelay: Duration,
        now: Timestamp
    ) async throws -> CardChange {
        let id = job.card.id
        let (change, isOurs) = try await self.write(at: now, locking: [job.card.metadata.businessNumber]) { tx in
            let row = try CardRow.require(id, in: tx)
            // Meanwhile, a person acted on the card, or another worker took it over.
            guard row.state == .received, row.worker == job.worker else { return (CardChange(row), false) }
            try self.apply(to: row, result, retryDelay, in: tx)
            return (CardChange(try CardRow.require(id, in: tx)), true)
        }
        if case .success(let image) = result, isOurs, change.state == .prepared {
            self.sandbox.preparedImages.insert(image, of: id, isShrunk: false)
        }
        return change
    }

    /// Moves a card to `prepared`, or supersedes, rejects or retries it.
    private func apply(
        to row: CardRow,
        _ result: Result<PreparedImage, CodedError>,
        _ retryDelay: Duration,
        in tx: Transaction
    ) throws {
        let key = try row.key(self.vault)
        switch result {
        case .success(let image):
            let isSame: SQL = "\(self.sandbox.intake.isSame(image, row.expectedSide)) AND card.id <> \(row.id)"
            let same = try self.sandbox.intake.firstCard(of: row.number, where: isSame, for: row.submitter, in: tx)
            if let same { return try self.supersedeDuplicate(row, into: same, content: .prepared(image), in: tx) }
            try self.records.put(image, of: row.id, key: key, in: tx)
            try self.records.dropSource(of: row.id, in: tx)
            try self.records.move(row, Transition(.prepared), also: ", \(Transition.fresh)", in: tx)
        case .failure(let error) where error.kind == .input:
            try self.records.dropSource(of: row.id, in: tx)
            let refused = Transition(.rejected, error.code, error.message)
            try self.records.move(row, refused, also: ", \(Transition.fresh)", in: tx)
        case .failure(let error):
            // The source stays, since the image may be prepared later, with more memory or time.
            try self.countOwnFailure(of: row, error, retryDelay, in: tx)
        }
    }
}
