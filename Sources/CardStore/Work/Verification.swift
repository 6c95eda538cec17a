package import CardModel
import Foundation

/// A card that a worker has claimed for verification.
package struct VerificationJob: Sendable {
    /// The card.
    package var card: Card
    /// Its prepared image.
    package var image: PreparedImage
    /// A reading of these very bytes by this provider, which spares the call.
    package var reading: CardReading?
    /// The attempt that was written down, if it is to be posted.
    package var attempt: Int64?
    /// How often it has failed in a row.
    package var tries: Int
    /// Whose claim it is.
    let worker: String
}

/// What came of verifying a card.
package enum VerificationConclusion: Sendable {
    /// It was read and judged.
    case judged(CardReading, key: ReadingKey, Judgement)
    /// The image was too large; this one goes next.
    case shrunk(PreparedImage, after: RemoteFailure)
    /// It was not read.
    case failed(RemoteFailure, RetryTerms)
}

// MARK: Concluding

extension CardStore {
    /// Writes down what came of verifying a claimed card, and what follows.
    ///
    /// - Returns: where the card stands now.
    @discardableResult
    package func conclude(
        _ job: VerificationJob,
        with conclusion: VerificationConclusion,
        now: Timestamp
    ) async throws -> CardChange {
        let id = job.card.id
        let attempt = job.attempt
        return try await Self.translating {
            try await self.database.write(locking: [job.card.metadata.businessNumber.rawValue]) { tx in
                let row = try CardRow.require(id, in: tx)
                if let attempt { try self.end(attempt, with: conclusion, now: now, in: tx) }
                // A person acted on it, or it was taken over, while the call was under way.
                guard row.state == .prepared else { return CardChange(row) }
                let isOurs = row.worker == job.worker
                switch conclusion {
                case .judged(let reading, let key, let judgement):
                    if isOurs, try !row.card(self.vault).metadata.changesVerdict(from: job.card.metadata) {
                        try self.settle(row, reading: reading, key: key, judgement: judgement, now: now, in: tx)
                    } else {
                        // It is judged again by what its sender says now, without being read again.
                        try self.put(
                            StoredReading(key: key, reading: reading),
                            of: id,
                            key: row.key(self.vault),
                            in: tx
                        )
                        try tx.run("UPDATE card SET worker = NULL WHERE id = \(id) AND worker = \(job.worker)")
                    }
                case .shrunk, .failed:
                    if isOurs { try self.settle(row, without: conclusion, now: now, in: tx) }
                }
                return CardChange(try CardRow.require(id, in: tx))
            }
        }
    }

    /// What follows for a card that was not read.
    private func settle(
        _ row: CardRow,
        without conclusion: VerificationConclusion,
        now: Timestamp,
        in tx: Transaction
    ) throws {
        switch conclusion {
        case .judged: break
        case .shrunk(let image, _):
            try self.put(image, of: row.id, key: row.key(self.vault), in: tx)
            try tx.run("UPDATE card SET shrunk = 1, worker = NULL WHERE id = \(row.id)")
        case .failed(let failure, let terms):
            try self.settle(row, failure: failure, terms: terms, now: now, in: tx)
        }
    }

    private func end(
        _ attempt: Int64,
        with conclusion: VerificationConclusion,
        now: Timestamp,
        in tx: Transaction
    ) throws {
        switch conclusion {
        case .judged:
            try self.endAttempt(attempt, as: .accepted, code: nil, httpStatus: 200, now: now, in: tx)
        case .shrunk(_, let failure), .failed(let failure, _):
            try self.endAttempt(
                attempt,
                as: failure.failureClass,
                code: failure.code,
                httpStatus: failure.httpStatus,
                now: now,
                in: tx
            )
        }
    }

    private func settle(
        _ row: CardRow,
        reading: CardReading,
        key readingKey: ReadingKey,
        judgement: Judgement,
        now: Timestamp,
        in tx: Transaction
    ) throws {
        let key = try row.key(self.vault)
        try self.put(StoredReading(key: readingKey, reading: reading), of: row.id, key: key, in: tx)
        let seen = reading.selecting(row.expectedSide)
        let holder = seen.side == .front ? self.vault.holder(in: seen) : nil
        if let holder { try self.note(holder: holder, of: row.number, in: tx) }
        let transition =
            switch judgement.verdict {
            case .accepted: Transition(row.id, from: .prepared, to: .verified)
            case .rejected(let reason, let message):
                Transition(row.id, from: .prepared, to: .rejected, reason: reason, message: message)
            case .held(let reason, let message):
                Transition(row.id, from: .prepared, to: .held, reason: reason, message: message)
            }
        try transition.perform(
            also: """
                , side = \(seen.side), holder = \(holder), failures = 0, tries = 0, failed_at = NULL, due_at = NULL,
                compared_with = NULL
                """,
            number: row.number,
            key: key,
            now: now,
            in: tx
        )
        for warning in judgement.warnings {
            try self.note(warning, of: row.id, in: transition.to, key: key, now: now, in: tx)
        }
    }

    /// Writes down what a rule has to say of a card that passes.
    func note(
        _ warning: VerdictFinding,
        of card: CardID,
        in state: CardState,
        key: CardKey,
        now: Timestamp,
        in tx: Transaction
    ) throws {
        let sealed = try key.seal(json: warning.message, column: CardRow.messageColumn)
        try Transition(card, from: state, to: state, reason: warning.reason).note(sealed: sealed, now: now, in: tx)
    }

    /// Fronts that name two persons mark their number as disputed for good, whatever becomes of them.
    private func note(holder: Data, of number: BusinessNumber, in tx: Transaction) throws {
        try tx.one(
            """
            UPDATE application SET holder = coalesce(holder, \(holder)),
            disputed = CASE WHEN holder IS NOT NULL AND holder <> \(holder) THEN 1 ELSE disputed END
            WHERE number = \(number)
            """
        )
    }

    private func settle(
        _ row: CardRow,
        failure: RemoteFailure,
        terms: RetryTerms,
        now: Timestamp,
        in tx: Transaction
    ) throws {
        let key = try row.key(self.vault)
        func end(_ state: CardState, _ reason: ReasonCode) throws {
            try Transition(
                row.id,
                from: .prepared,
                to: state,
                reason: reason,
                remoteCode: failure.code,
                message: failure.message
            ).perform(also: ", due_at = NULL", number: row.number, key: key, now: now, in: tx)
        }
        switch failure.failureClass {
        case .rejected, .shrink: return try end(.rejected, .refusedByRemote)
        case .accepted, .throttled, .notSent:
            try tx.run("UPDATE card SET worker = NULL WHERE id = \(row.id)")
        case .stop where failure.stopScope == .account:
            try tx.run("UPDATE card SET worker = NULL WHERE id = \(row.id)")
        case .stop, .transient, .unknown:
            let history = try self.counting(
                failure.failureClass,
                after: row.history,
                stage: .verify,
                own: "\(row.id)",
                now: now,
                in: tx
            )
            // A request that another card's passes by is this card's own; it gets one more try.
            if history.isUsedUp(by: failure.failureClass == .stop ? 1 : terms.maxAttempts) {
                return try end(.failed, failure.failureClass == .stop ? .refusedByRemote : .attemptsExhausted)
            }
            try tx.run(
                """
                UPDATE card SET worker = NULL, \(history.assignments),
                due_at = \(now.advanced(by: terms.delay)) WHERE id = \(row.id)
                """
            )
        }
    }
}

/// Where a card stands after a change, for progress and reports.
package struct CardChange: Hashable, Sendable {
    /// The card.
    package var card: CardID
    /// Its state.
    package var state: CardState
    /// Why.
    package var reason: ReasonCode?
    /// The remote's own code.
    package var remoteCode: String?

    init(_ row: CardRow) {
        self.card = row.id
        self.state = row.state
        self.reason = row.reason
        self.remoteCode = row.remoteCode
    }
}
