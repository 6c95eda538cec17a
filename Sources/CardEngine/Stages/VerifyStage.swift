import CardModel
import CardStore

/// Sends prepared images to the verification service and judges the readings.
struct VerifyStage: StageWork {
    let stage = Stage.verify
    let context: EngineContext
    let gate: EndpointGate

    func nextDue() async throws -> Timestamp? {
        let now = self.context.time.now()
        // Cards with unreadable answers are due, too, though only a probe tries them again.
        return try await self.context.store.stages.nextDue(in: .prepared, now: now)
            ?? (self.gate.unreadable == nil ? nil : now)
    }

    func claim(_ limit: Int) async throws -> Claimed<VerificationJob> {
        try self.context.worker.requireLock()
        // The remaining disk space is for finishing cards and erasing them.
        guard self.context.room != .finishingOnly else { return Claimed() }
        var claimed = Claimed<VerificationJob>()
        let verifier = self.context.ports.verifier
        for scope in self.scopes where claimed.jobs.isEmpty && !claimed.hasChanged {
            claimed.jobs = try await self.context.store.stages.claimVerification(
                by: self.context.worker,
                provider: verifier.provider,
                parameters: verifier.parameters,
                limit: limit,
                scope: scope,
                untriedFirst: self.gate.isFailing,
                now: self.context.time.now()
            ) { change in
                claimed.hasChanged = true
                self.context.report(change)
            }
        }
        if claimed.jobs.isEmpty, !claimed.hasChanged { try await self.gate.writeUnreadable(nothingElseIsDue: true) }
        return claimed
    }

    /// The claims in order.
    ///
    /// While answers cannot be understood, a photo of another number shows what the cause is; else the same photo is tried again.
    private var scopes: [ClaimScope] {
        guard let unreadable = self.gate.unreadable else { return [.all] }
        return (unreadable.isLone ? [.otherNumbers] : []) + (self.gate.probesUnreadable ? [.unreadable] : [])
    }

    func perform(_ job: VerificationJob) async throws {
        if let reading = job.reading {
            self.gate.withdraw()
            return try await self.judge(job, reading)
        }
        guard !self.gate.isPausing else {
            self.gate.withdraw()
            return try await self.conclude(job, with: self.failed(.withheld, of: job))
        }
        switch try await self.context.verify(job.content) {
        case .read(let reading):
            try await self.judge(job, reading)
            try await self.gate.write(self.gate.finish(.answered, failure: nil))
        case .failed(let failure):
            let pauseChange = self.gate.finish(Gate.Result(failure), failure: failure)
            try await self.conclude(job, with: self.conclusion(of: job, after: failure))
            try await self.gate.write(pauseChange)
            if failure.isUnreadable { try await self.gate.writeUnreadable(nothingElseIsDue: false) }
            self.context.events(.failed(.verify, failure))
        }
    }

    private func judge(_ job: VerificationJob, _ reading: CardReading) async throws {
        let judgement = try await self.judgement(of: job, reading)
        let verifier = self.context.ports.verifier
        let key = ReadingKey(
            imageDigest: job.content.digest,
            provider: verifier.provider,
            parameters: verifier.parameters
        )
        try await self.conclude(job, with: .judged(reading, key: key, judgement))
    }

    /// Judges a reading by the clock.
    ///
    /// A refusal by a date rule is held if the clock may be wrong: if the rule would not refuse at the last correct time, or at
    /// the date of this program.
    private func judgement(of job: VerificationJob, _ reading: CardReading) async throws -> Judgement {
        func judge(at time: Timestamp) -> Judgement {
            self.context.settings.rules.judge(
                reading,
                expecting: job.card.metadata,
                today: CalendarDay(inChinaAt: time)
            )
        }
        let now = self.context.time.now()
        var judgement = judge(at: now)
        guard case .rejected(let reason, let message) = judgement.verdict else { return judgement }
        let seen = try await self.context.store.upkeep.seenTime()
        let others = [seen] + (now < .programDate ? [.programDate] : [])
        let isDoubtful = others.contains { time in
            if case .rejected(reason, _) = judge(at: time).verdict { false } else { true }
        }
        guard isDoubtful else { return judgement }
        judgement.verdict = .held(.clockDoubtful, message: .engineClockDoubtful(message, now: now))
        return judgement
    }

    /// An image that is too large is sent once more in a smaller size.
    private func conclusion(of job: VerificationJob, after failure: RemoteFailure) async throws
        -> VerificationConclusion
    {
        guard failure.failureClass == .shrink else { return self.failed(failure, of: job) }
        do {
            if !job.card.isShrunk, let smaller = try await self.context.ports.shrink(job.content) {
                return .shrunk(smaller, after: failure)
            }
        } catch let error as CodedError {
            // Our own lack of time or memory, as in preparing.
            let terms = self.context.retryTerms(maxAttempts: Limits.preparingTries, tries: job.tries)
            return .notShrunk(error, after: failure, terms)
        }
        var final = failure
        final.message = .engineImageRefused(job.content)
        return self.failed(final, of: job)
    }

    private func failed(_ failure: RemoteFailure, of job: VerificationJob) -> VerificationConclusion {
        .failed(
            failure,
            self.context.retryTerms(maxAttempts: self.context.settings.verification.maxAttempts, tries: job.tries)
        )
    }

    private func conclude(_ job: VerificationJob, with conclusion: VerificationConclusion) async throws {
        let change = try await self.context.store.stages.conclude(job, with: conclusion, now: self.context.time.now())
        // A card that waits for its next attempt has not changed its state.
        guard change.state != .prepared else { return self.context.board.signal(.verify) }
        self.context.report(change)
    }
}
