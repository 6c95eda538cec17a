import CardModel
import CardStore

/// Sends prepared images to the verification service and judges the readings.
struct VerifyStage: StageWork {
    let context: EngineContext
    let gate: EndpointGate?
    let stage = Stage.verify
    let states: Set<CardState> = [.prepared]
    let scarcestSpace = DiskSpace.noIntake

    func nextDue() async throws -> Timestamp? {
        let now = self.context.time.now()
        // Cards with unreadable answers count as due, although only a probe sends them again.
        return try await self.context.store.stages.nextDue(in: .prepared, now: now)
            ?? (self.gate?.unreadable == nil ? nil : now)
    }

    func claim(_ limit: Int) async throws -> Claimed<VerificationJob> {
        let verifier = self.context.ports.verifier
        for scope in self.scopes {
            let claimed = try await self.context.store.stages.claimVerification(
                by: self.context.worker,
                provider: verifier.provider,
                parameters: verifier.parameters,
                limit: limit,
                scope: scope,
                untriedFirst: self.gate?.isFailing ?? false,
                now: self.context.time.now()
            )
            guard claimed.jobs.isEmpty, claimed.changes.isEmpty else { return claimed }
        }
        return Claimed()
    }

    /// Which cards to claim, in the order of preference. While only one number has unreadable answers, a photo of another number
    /// shows whether the endpoint is the cause. When a probe is due, a photo with an unreadable answer is sent again.
    private var scopes: [ClaimScope] {
        guard let gate = self.gate, let unreadable = gate.unreadable else { return [.all] }
        return (unreadable.isLone ? [.otherNumbers] : []) + (gate.probesUnreadable ? [.unreadable] : [])
    }

    func begin(_ job: VerificationJob) -> Beginning<VerificationJob, VerificationOutcome> {
        if let reading = job.reading { return .known(.read(reading), job) }
        return self.gate?.isPausing == true ? .known(.failed(.withheld), job) : .call(job)
    }

    func call(_ job: VerificationJob) async throws -> VerificationOutcome {
        try await self.context.ports.verifier.verify(job.content)
    }

    func failure(in outcome: VerificationOutcome, of job: VerificationJob) -> EndpointAnswer? {
        outcome.failure.map(EndpointAnswer.init)
    }

    func conclude(_ job: VerificationJob, _ outcome: VerificationOutcome) async throws -> [CardChange] {
        var outcome = outcome
        let shrunk = try await self.shrunk(job, &outcome)
        let verifier = self.context.ports.verifier
        let key = ReadingKey(
            imageDigest: job.content.digest,
            provider: verifier.provider,
            parameters: verifier.parameters
        )
        let change = try await self.context.store.stages.conclude(
            job,
            with: outcome,
            shrunk: shrunk,
            key: key,
            retry: self.context.retryTerms(self.context.settings.verification, tries: job.tries),
            judging: self.judge,
            now: self.context.time.now()
        )
        return [change]
    }

    /// If the verifier refused the size of the image, makes a smaller image to be sent once more.
    ///
    /// - Parameter outcome: gets another message if the image cannot be made smaller.
    /// - Returns: the smaller image, or why there was no time or memory to make it; `nil` if there is nothing to send.
    private func shrunk(_ job: VerificationJob, _ outcome: inout VerificationOutcome) async throws
        -> Result<PreparedImage, CodedError>?
    {
        guard case .failed(var failure) = outcome, failure.failureClass == .shrink else { return nil }
        do {
            if !job.card.isShrunk, let smaller = try await self.context.ports.shrink(job.content) {
                return .success(smaller)
            }
        } catch let error as CodedError {
            return .failure(error)
        }
        failure.message = .engineImageRefused(job.content)
        outcome = .failed(failure)
        return nil
    }

    /// Judges a reading by today's date. If the clock may be wrong, a person decides instead of a date rule: if the same rule
    /// would not refuse the card at `seen`, the last correct time, or, if the clock lies before it, at the date of this program.
    private func judge(_ reading: CardReading, _ metadata: CardMetadata, seen: Timestamp) -> Judgement {
        func judge(at time: Timestamp) -> Judgement {
            self.context.settings.rules.judge(reading, expecting: metadata, today: CalendarDay(inChinaAt: time))
        }
        let now = self.context.time.now()
        var judgement = judge(at: now)
        guard case .rejected(let reason, let message) = judgement.verdict else { return judgement }
        let others = [seen] + (now < .programDate ? [.programDate] : [])
        let isDoubtful = others.contains { time in
            if case .rejected(reason, _) = judge(at: time).verdict { false } else { true }
        }
        guard isDoubtful else { return judgement }
        judgement.verdict = .held(.clockDoubtful, message: .engineClockDoubtful(message, now: now))
        return judgement
    }
}
