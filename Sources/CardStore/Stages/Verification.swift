package import CardModel
import Foundation

extension SandboxStages {
    /// Judges a reading by the current metadata of its card. If the clock may be wrong, it must hold a card that a date rule
    /// would refuse; `seen` is the last time at which the clock was right.
    package typealias Judge =
        @Sendable (_ reading: CardReading, _ metadata: CardMetadata, _ seen: Timestamp) -> Judgement

    /// Stores the outcome of verifying a claimed card, and what follows.
    ///
    /// - Parameters:
    ///   - shrunk: a smaller image to send instead of one that was too large, or the error of making it.
    ///   - key: the key under which a reading may be used again.
    /// - Returns: the current state of the card.
    @discardableResult
    package func conclude(
        _ job: VerificationJob,
        with outcome: VerificationOutcome,
        shrunk: Result<PreparedImage, CodedError>? = nil,
        key: ReadingKey,
        retry: RetryTerms,
        judging judge: @escaping Judge,
        now: Timestamp
    ) async throws -> CardChange {
        let id = job.card.id
        let (change, isOurs) = try await self.write(at: now, locking: [job.card.metadata.businessNumber]) { tx in
            let row = try CardRow.require(id, in: tx)
            if let attempt = job.attempt { try self.endAttempt(attempt, after: outcome.failure, in: tx) }
            if row.state == .erased { try Erasure.fold(id, of: self.sandbox, in: tx) }
            // During the call, a person acted on the card, or another worker took it over.
            guard row.state == .prepared else { return (CardChange(row), false) }
            let isOurs = row.worker == job.worker
            if case .read(let reading) = outcome {
                try self.records.put(reading, key, of: id, key: row.key(self.vault), in: tx)
            }
            guard isOurs else { return (CardChange(row), false) }
            switch (outcome, shrunk) {
            case (.read(let reading), _):
                let judgement = judge(
                    reading,
                    try row.card(self.vault).metadata,
                    try SandboxUpkeep.seenTime(in: tx).last
                )
                return (try self.applyReading(to: row, reading: reading, judgement: judgement, in: tx), true)
            case (.failed, .success(let image)):
                try self.records.put(image, of: id, key: row.key(self.vault), in: tx)
                try tx.run("UPDATE card SET shrunk = 1, worker = NULL WHERE id = \(id)")
            case (.failed, .failure(let error)): try self.countOwnFailure(of: row, error, retry.delay, in: tx)
            case (.failed(let failure), nil): try self.applyFailure(to: row, failure: failure, terms: retry, in: tx)
            }
            return (CardChange(try CardRow.require(id, in: tx)), true)
        }
        if case .success(let image) = shrunk, isOurs {
            self.sandbox.preparedImages.insert(image, of: id, isShrunk: true)
        } else if change.state != .prepared, change.state != .verified {
            self.sandbox.preparedImages.drop([id])
        }
        return change
    }

    /// Counts a failure due to our own lack of time or memory; the card is tried again until its attempts are used up.
    func countOwnFailure(of row: CardRow, _ error: CodedError, _ delay: Duration, in tx: Transaction) throws {
        let history = try row.history.adding(.always, in: tx)
        guard history.isUsedUp(by: Limits.ownTries) else {
            return try self.release(row, after: history, until: tx.now.advanced(by: delay), in: tx)
        }
        try self.records.move(
            row,
            Transition(.failed, error.code, error.message),
            also: ", \(Transition.fresh)",
            in: tx
        )
    }

    /// Moves a card by the judgement of its reading, and sets the holder of its number.
    private func applyReading(to row: CardRow, reading: CardReading, judgement: Judgement, in tx: Transaction) throws
        -> CardChange
    {
        let seen = reading.selecting(row.expectedSide)
        let transition = try self.transition(of: row, by: judgement.verdict, reading: seen, in: tx)
        // A front of a person other than the expected one does not tell the holder of the number.
        let isOther = transition.to == .rejected && transition.reason.map(VerdictRule.ofOtherHolder.contains) == true
        let holder = seen.side == .front && !isOther ? self.vault.holder(in: seen) : nil
        if let holder { try self.setHolder(holder, of: row.number, in: tx) }
        // An earlier judgement may have set this person as the holder, before the expected one was known.
        if isOther { _ = try self.sandbox.decisions.forgetHolder(of: row, in: tx) }
        // The card is judged again once the clock is a day later, or was set back by a day.
        let judgedAgainAt = transition.reason == .clockDoubtful ? tx.now.advanced(by: .seconds(86_400)) : nil
        let also: SQL = """
            , side = \(seen.side), holder = \(holder), compared_with = NULL, failures = 0, tries = 0, failed_at = NULL,
            \(Wait.assigning(until: judgedAgainAt, from: tx.now))
            """
        let change = try self.records.move(row, transition, also: also, in: tx)
        for warning in judgement.warnings { try self.logWarning(warning, of: row, in: transition.to, in: tx) }
        return change
    }

    private func transition(of row: CardRow, by verdict: Verdict, reading: CardReading, in tx: Transaction) throws
        -> Transition
    {
        if case .rejected(let reason, let message) = verdict { return Transition(.rejected, reason, message) }
        // The number comes first: what else holds the card is judged again once a person has said that the number is right.
        if try self.namesPerson(row, reading: reading, in: tx) {
            try self.sandbox.markPersonal(row.number, in: tx)
            return Transition(.held, .businessNumberPersonal, .cardNumberPersonal(row.id))
        }
        if case .held(let reason, let message) = verdict { return Transition(.held, reason, message) }
        return Transition(.verified)
    }

    /// Whether the number of a card contains the name that was read or expected, and no person has said that it is right.
    private func namesPerson(_ row: CardRow, reading: CardReading, in tx: Transaction) throws -> Bool {
        let metadata = try row.card(self.vault).metadata
        let number = metadata.givenNumber.map { BusinessNumber(stored: $0.reveal()) } ?? row.number
        guard [reading.fields.name, metadata.expectedName].contains(where: number.contains) else { return false }
        return try !self.sandbox.isNumberAccepted(row.number, in: tx)
    }

    /// Has cards judged again that were held for a doubtful clock, once the clock differs by a day. Their readings are stored, so
    /// no call is needed.
    func judgeDoubtedAgain(in tx: Transaction) throws {
        let doubted: SQL = """
            state = \(literal: .held) AND reason = \(ReasonCode.clockDoubtful) AND due_at IS NOT NULL AND NOT \(Decision.holdsCard)
            """
        let portion: SQL = "\(doubted) AND \(Wait.isOver(at: tx.now)) LIMIT \(Limits.cardsPerWake)"
        for card: CardID in try tx.values("SELECT id FROM card WHERE \(portion)") {
            let row = try CardRow.require(card, in: tx)
            try self.records.move(row, Transition(.prepared), also: ", \(Transition.fresh)", in: tx)
        }
    }

    /// Adds a warning to the history of a card.
    func logWarning(_ warning: VerdictFinding, of row: CardRow, in state: CardState, in tx: Transaction) throws {
        let sealed = try row.key(self.vault).seal(json: warning.message, column: .cardMessage)
        try self.records.log(Transition(state, warning.reason), from: state, of: row.id, sealed: sealed, in: tx)
    }

    /// Sets the holder of a number, or marks the number as disputed if it has another holder; only a person's decision removes
    /// that mark.
    func setHolder(_ holder: Data, of number: BusinessNumber, in tx: Transaction) throws {
        try tx.one(
            """
            UPDATE cases SET holder = coalesce(holder, \(holder)),
            disputed = CASE WHEN holder IS NOT NULL AND holder <> \(holder) THEN 1 ELSE disputed END
            WHERE number = \(number)
            """
        )
    }

    /// Rejects or fails a card after a failed call, or has it verified again later.
    private func applyFailure(to row: CardRow, failure: RemoteFailure, terms: RetryTerms, in tx: Transaction) throws {
        switch failure.failureClass {
        case _ where failure.isUnreadable: try self.applyUnreadable(to: row, unreadable: failure, in: tx)
        case .rejected, .shrink: try self.finish(row, Transition(.rejected, .refusedByRemote, failure), in: tx)
        case .accepted, .throttled, .notSent: try self.release(row, in: tx)
        case .stop where failure.stopScope == .account: try self.release(row, in: tx)
        case .stop, .transient, .unknown:
            let rule = AttemptRule.onceOthersPass(.verify, after: failure.failureClass, except: "\(row.id)")
            let history = try row.history.adding(rule, in: tx)
            let isStop = failure.failureClass == .stop
            // One counted stop is enough: the endpoint has accepted other requests since, so this card is the cause.
            guard history.isUsedUp(by: isStop ? 1 : terms.maxAttempts) else {
                return try self.release(row, after: history, until: tx.now.advanced(by: terms.delay), in: tx)
            }
            let end = Transition(.failed, isStop ? .refusedByRemote : .attemptsExhausted, failure)
            try self.finish(row, end, in: tx)
        }
    }

    /// Marks a card whose answer could not be understood. The same photo would get the same answer: once the service has read
    /// another photo, the card gets one more try, and then fails.
    private func applyUnreadable(to row: CardRow, unreadable failure: RemoteFailure, in tx: Transaction) throws {
        if row.isUnreadable, try Unreadable.isPassed(.verify, since: row.history.failedAt, in: tx) {
            return try self.finish(row, Transition(.failed, .attemptsExhausted, failure), in: tx)
        }
        let history = try row.history.adding(.never, in: tx)
        try tx.run("UPDATE card SET worker = NULL, unreadable = 1, \(history.assignments) WHERE id = \(row.id)")
    }
}
