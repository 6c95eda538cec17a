package import CardModel

/// The outcome of preparing a card.
package enum PreparationConclusion: Sendable {
    /// The image that replaces the source.
    case prepared(PreparedImage)
    /// The image cannot be used.
    case refused(CodedError)
    /// There was no time or memory for it.
    case failed(CodedError, RetryTerms)
}

// MARK: Preparing

extension SandboxStages {
    /// Claims received cards, to prepare their images.
    ///
    /// - Parameter reporting: receives the changes of cards that cannot be unsealed, which fail.
    package func claimPreparation(
        by worker: Worker,
        limit: Int,
        now: Timestamp,
        reporting: (CardChange) -> Void = { _ in }
    ) async throws -> [PreparationJob] {
        guard try await self.wake(.received, by: worker, now: now) else { return [] }
        let turns = Self.turns(.received, now: now)
        return try await self.claim(.received, turns, by: worker, limit: limit, now: now, reporting: reporting) {
            (try $0.card(self.vault), try self.records.source(of: $0.id, key: $0.key(self.vault), in: $1))
        }
    }

    /// Stores the outcome of preparing a claimed card; the transaction that stores the image deletes its source.
    ///
    /// - Returns: the current state of the card.
    @discardableResult
    package func conclude(
        _ job: PreparationJob,
        with conclusion: PreparationConclusion,
        now: Timestamp
    ) async throws -> CardChange {
        let id = job.card.id
        let (change, isOurs) = try await self.write(at: now, locking: [job.card.metadata.businessNumber]) { tx in
            let row = try CardRow.require(id, in: tx)
            // Meanwhile, a person acted on the card, or another worker took it over.
            guard row.state == .received, row.worker == job.worker else { return (CardChange(row), false) }
            try self.apply(to: row, conclusion, in: tx)
            return (CardChange(try CardRow.require(id, in: tx)), true)
        }
        if case .prepared(let image) = conclusion, isOurs, change.state == .prepared {
            self.sandbox.preparedImages.insert(image, of: id, isShrunk: false)
        }
        return change
    }

    private func apply(to row: CardRow, _ conclusion: PreparationConclusion, in tx: Transaction) throws {
        let key = try row.key(self.vault)
        switch conclusion {
        case .prepared(let image):
            let own: SQL = "\(self.sandbox.intake.isSame(image, row.expectedSide)) AND card.id <> \(row.id)"
            let same = try self.sandbox.intake.firstCard(of: row.number, where: own, for: row.submitter, in: tx)
            if let same { return try self.supersedeDuplicate(row, into: same, content: .prepared(image), in: tx) }
            try self.records.put(image, of: row.id, key: key, in: tx)
            try self.records.dropSource(of: row.id, in: tx)
            try self.records.move(row, Transition(.prepared), also: ", \(Transition.fresh)", in: tx)
        case .refused(let error):
            try self.records.dropSource(of: row.id, in: tx)
            let refused = Transition(.rejected, error.code, error.message)
            try self.records.move(row, refused, also: ", \(Transition.fresh)", in: tx)
        case .failed(let error, let terms):
            // Its source stays: with more memory or time it may be prepared after all.
            try self.countOwnFailure(of: row, error, terms: terms, in: tx)
        }
    }
}
