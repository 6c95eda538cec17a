package import CardModel
import Foundation

/// A card that a worker has claimed for verification.
package struct VerificationJob: Sendable {
    package var card: Card
    package var image: PreparedImage
    /// A reading of these very bytes by this provider, which spares the call.
    package var reading: CardReading?
    /// The attempt that was written down, if it is to be posted.
    package var attempt: Int64?
    /// How often it has failed in a row.
    package var tries: Int
    let worker: String
}

/// What came of verifying a card.
package enum VerificationConclusion: Sendable {
    case judged(CardReading, key: ReadingKey, Judgement)
    /// The image was too large; this one goes next.
    case shrunk(PreparedImage, after: RemoteFailure)
    /// The image was too large, and there was no time or memory to make it smaller.
    case notShrunk(CodedError, after: RemoteFailure, RetryTerms)
    /// It was not read.
    case failed(RemoteFailure, RetryTerms)

    /// The failure that its attempt is written down with.
    fileprivate var failure: RemoteFailure? {
        switch self {
        case .judged: nil
        case .shrunk(_, let failure), .notShrunk(_, let failure, _), .failed(let failure, _): failure
        }
    }
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
        let (change, isOurs) = try await self.write(at: now, locking: [job.card.metadata.businessNumber]) { tx in
            let row = try CardRow.require(id, in: tx)
            if let attempt = job.attempt { try self.endAttempt(attempt, after: conclusion.failure, in: tx) }
            if row.state == .erased { try Erasure.fold(id, of: self, in: tx) }
            // A person acted on it, or it was taken over, while the call was under way.
            guard row.state == .prepared else { return (CardChange(row), false) }
            let isOurs = row.worker == job.worker
            switch conclusion {
            case .judged(let reading, let key, let judgement):
                try self.put(reading, key, of: id, key: row.key(self.vault), in: tx)
                if isOurs, try !row.card(self.vault).metadata.changesVerdict(from: job.card.metadata) {
                    return (try self.settle(row, reading: reading, judgement: judgement, in: tx), true)
                }
                // It is judged again by what its sender says now, without being read again.
                try tx.run("UPDATE card SET worker = NULL WHERE id = \(id) AND worker = \(job.worker)")
            case .shrunk(let image, _) where isOurs:
                try self.put(image, of: id, key: row.key(self.vault), in: tx)
                try tx.run("UPDATE card SET shrunk = 1, worker = NULL WHERE id = \(id)")
            case .failed(let failure, let terms) where isOurs:
                try self.settle(row, failure: failure, terms: terms, in: tx)
            case .notShrunk(let error, _, let terms) where isOurs:
                try self.countOwnFailure(of: row, error, terms: terms, in: tx)
            case .shrunk, .notShrunk, .failed: break
            }
            return (CardChange(try CardRow.require(id, in: tx)), isOurs)
        }
        if case .shrunk(let image, _) = conclusion, isOurs {
            self.preparedImages.keep(image, of: id, isShrunk: true)
        } else if change.state != .prepared, change.state != .verified {
            self.preparedImages.drop([id])
        }
        return change
    }

    /// Whatever is tried again, up to so often: a lack of time or memory of our own.
    func countOwnFailure(of row: CardRow, _ error: CodedError, terms: RetryTerms, in tx: Transaction) throws {
        let history = row.history.repeated(at: tx.now, counts: true)
        guard history.failures < terms.maxAttempts else {
            let end = Transition(.failed, error.code, error.message)
            try self.move(row, end, also: ", \(Transition.fresh)", in: tx)
            return
        }
        try self.release(row, after: history, until: tx.now.advanced(by: terms.delay), in: tx)
    }

    private func settle(_ row: CardRow, reading: CardReading, judgement: Judgement, in tx: Transaction) throws
        -> CardChange
    {
        let seen = reading.selecting(row.expectedSide)
        let transition =
            switch judgement.verdict {
            case .accepted: Transition(.verified)
            case .rejected(let reason, let message): Transition(.rejected, reason, message)
            case .held(let reason, let message): Transition(.held, reason, message)
            }
        // A front of another person than the expected one says nothing of whose the number is.
        let isOther = transition.to == .rejected && transition.reason.map(VerdictRule.ofOtherHolder.contains) == true
        let holder = seen.side == .front && !isOther ? self.vault.holder(in: seen) : nil
        if let holder { try self.note(holder: holder, of: row.number, in: tx) }
        // It may have named one before more was known of whom to expect.
        if isOther { _ = try self.forgetHolder(of: row, in: tx) }
        // Outside of a day of this clock it is judged again.
        let again = transition.reason == .clockDoubtful ? tx.now.advanced(by: .seconds(86_400)) : nil
        let also: SQL = """
            , side = \(seen.side), holder = \(holder), compared_with = NULL, failures = 0, tries = 0, failed_at = NULL,
            \(Wait.assigning(until: again, from: tx.now))
            """
        let change = try self.move(row, transition, also: also, in: tx)
        for warning in judgement.warnings { try self.note(warning, of: row, in: transition.to, in: tx) }
        return change
    }

    /// Has cards judged again that were held for a clock that may be wrong, once it says another day; nothing is paid for it.
    func judgeDoubtedAgain(in tx: Transaction) throws {
        let doubted: SQL = """
            state = 'held' AND reason = \(ReasonCode.clockDoubtful) AND due_at IS NOT NULL AND NOT \(Decision.holdsCard)
            """
        let some: SQL = "\(doubted) AND \(Wait.isOver(at: tx.now)) LIMIT \(Limits.cardsPerWake)"
        for card: CardID in try tx.values("SELECT id FROM card WHERE \(some)") {
            let row = try CardRow.require(card, in: tx)
            try self.move(row, Transition(.prepared), also: ", \(Transition.fresh)", in: tx)
        }
    }

    /// Writes down what a rule has to say of a card that passes.
    func note(_ warning: VerdictFinding, of row: CardRow, in state: CardState, in tx: Transaction) throws {
        let sealed = try row.key(self.vault).seal(json: warning.message, column: .cardMessage)
        try self.note(Transition(state, warning.reason), of: row.id, sealed: sealed, in: tx)
    }

    /// Fronts that name two persons mark their number as disputed for good, whatever becomes of them.
    private func note(holder: Data, of number: BusinessNumber, in tx: Transaction) throws {
        try tx.one(
            """
            UPDATE cases SET holder = coalesce(holder, \(holder)),
            disputed = CASE WHEN holder IS NOT NULL AND holder <> \(holder) THEN 1 ELSE disputed END
            WHERE number = \(number)
            """
        )
    }

    private func settle(_ row: CardRow, failure: RemoteFailure, terms: RetryTerms, in tx: Transaction) throws {
        switch failure.failureClass {
        case _ where failure.isUnreadable: try self.settle(row, unreadable: failure, in: tx)
        case .rejected, .shrink: try self.end(row, Transition(.rejected, .refusedByRemote, failure), in: tx)
        case .accepted, .throttled, .notSent: try self.release(row, in: tx)
        case .stop where failure.stopScope == .account: try self.release(row, in: tx)
        case .stop, .transient, .unknown:
            let (kind, own): (FailureClass, SQL) = (failure.failureClass, "\(row.id)")
            let history = try self.counting(kind, after: row.history, stage: .verify, own: own, in: tx)
            // A request that another card's passes by is this card's own; it gets one more try.
            if history.isUsedUp(by: kind == .stop ? 1 : terms.maxAttempts) {
                let reason: ReasonCode = kind == .stop ? .refusedByRemote : .attemptsExhausted
                return try self.end(row, Transition(.failed, reason, failure), in: tx)
            }
            try self.release(row, after: history, until: tx.now.advanced(by: terms.delay), in: tx)
        }
    }

    /// Asking again cannot make an answer readable: once the service has read another photo, the card goes once more, then it
    /// ends.
    private func settle(_ row: CardRow, unreadable failure: RemoteFailure, in tx: Transaction) throws {
        if row.isUnreadable, try Unreadable.isPassed(.verify, since: row.history.failedAt, in: tx) {
            return try self.end(row, Transition(.failed, .attemptsExhausted, failure), in: tx)
        }
        let history = row.history.repeated(at: tx.now)
        try tx.run("UPDATE card SET worker = NULL, unreadable = 1, \(history.assignments) WHERE id = \(row.id)")
    }
}
