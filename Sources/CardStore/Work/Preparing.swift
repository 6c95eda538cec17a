package import CardModel
package import Foundation

/// A card whose source bytes a worker has claimed to prepare.
package struct PreparationJob: Sendable {
    /// The card.
    package var card: Card
    /// Its source bytes.
    package var source: Data
    /// How often it has failed in a row.
    package var tries: Int
    /// Whose claim it is.
    let worker: String
}

/// What came of preparing a card.
package enum PreparationConclusion: Sendable {
    /// Its image takes the place of the source.
    case prepared(PreparedImage)
    /// The image cannot be used.
    case refused(CodedError)
    /// There was no time or memory for it.
    case failed(CodedError, RetryTerms)
}

// MARK: Preparing

extension CardStore {
    /// Claims received cards whose images are to be prepared.
    ///
    /// - Parameter told: hears of cards that do not open, which end here.
    package func claimPreparation(
        by worker: Worker,
        limit: Int,
        now: Timestamp,
        told: (CardChange) -> Void = { _ in }
    ) async throws -> [PreparationJob] {
        try await Self.translating {
            let claimed = try await self.database.write { tx in
                try self.require(worker, in: tx)
                return try self.claim(state: .received, by: worker, limit: limit, untriedFirst: false, now: now, in: tx)
                    .map(\.id)
            }
            return try await self.opened(claimed, told: told) { id, tx in
                let row = try CardRow.require(id, in: tx)
                return PreparationJob(
                    card: try row.card(self.vault),
                    source: try self.source(of: id, key: row.key(self.vault), in: tx),
                    tries: row.history.tries,
                    worker: worker.id
                )
            } end: { id, tx in
                try self.endUnreadable(id, in: .received, of: worker, now: now, in: tx)
            }
        }
    }

    /// When the next received card may be prepared; `nil` if none waits.
    package func nextPreparation() async throws -> Timestamp? { try await self.nextDue(in: .received) }

    /// Writes down what came of preparing a claimed card; its source goes in the transaction that brings the image.
    ///
    /// - Returns: where the card stands now.
    @discardableResult
    package func conclude(
        _ job: PreparationJob,
        with conclusion: PreparationConclusion,
        now: Timestamp
    ) async throws -> CardChange {
        let id = job.card.id
        return try await Self.translating {
            try await self.database.write(locking: [job.card.metadata.businessNumber.rawValue]) { tx in
                let row = try CardRow.require(id, in: tx)
                // A person acted on it, or it was taken over, meanwhile.
                guard row.state == .received, row.worker == job.worker else { return CardChange(row) }
                try self.settle(row, with: conclusion, now: now, in: tx)
                return CardChange(try CardRow.require(id, in: tx))
            }
        }
    }

    private func settle(
        _ row: CardRow,
        with conclusion: PreparationConclusion,
        now: Timestamp,
        in tx: Transaction
    ) throws {
        let key = try row.key(self.vault)
        func move(to state: CardState, _ reason: ReasonCode? = nil, _ message: Message? = nil) throws {
            try Transition(row.id, from: .received, to: state, reason: reason, message: message).perform(
                also: ", failures = 0, tries = 0, failed_at = NULL, due_at = NULL",
                number: row.number,
                key: key,
                now: now,
                in: tx
            )
        }
        switch conclusion {
        case .prepared(let image):
            try self.put(image, of: row.id, key: key, in: tx)
            try self.dropSource(of: row.id, in: tx)
            try move(to: .prepared)
        case .refused(let error):
            try self.dropSource(of: row.id, in: tx)
            try move(to: .rejected, error.code, error.message)
        case .failed(let error, let terms):
            // Its source stays: with more memory or time it may be prepared after all.
            if row.history.failures + 1 >= terms.maxAttempts { return try move(to: .failed, error.code, error.message) }
            try tx.run(
                """
                UPDATE card SET worker = NULL, failures = failures + 1, tries = tries + 1, failed_at = \(now),
                due_at = \(now.advanced(by: terms.delay)) WHERE id = \(row.id)
                """
            )
        }
    }
}
