import CardModel
import CardStore

/// Prepares the images of cards whose source bytes came over HTTP.
struct PrepareStage: StageWork {
    let stage = Stage.prepare
    let context: EngineContext
    let gate: LocalGate

    func nextDue() async throws -> Timestamp? {
        try await self.context.store.stages.nextDue(in: .received, now: self.context.time.now())
    }

    func claim(_ limit: Int) async throws -> Claimed<PreparationJob> {
        try self.context.worker.requireLock()
        // The remaining disk space is for finishing cards and erasing them.
        guard self.context.room != .finishingOnly else { return Claimed() }
        var claimed = Claimed<PreparationJob>()
        claimed.jobs = try await self.context.store.stages.claimPreparation(
            by: self.context.worker,
            limit: limit,
            now: self.context.time.now()
        ) { change in
            claimed.hasChanged = true
            self.context.report(change)
        }
        return claimed
    }

    func perform(_ job: PreparationJob) async throws {
        let conclusion: PreparationConclusion
        do {
            conclusion = .prepared(try await self.context.prepare(job.content, isForeign: true))
        } catch let error as CodedError where error.kind == .input {
            conclusion = .refused(error)
        } catch let error as CodedError {
            let terms = self.context.retryTerms(maxAttempts: Limits.preparingTries, tries: job.tries)
            conclusion = .failed(error, terms)
        }
        let change = try await self.context.store.stages.conclude(job, with: conclusion, now: self.context.time.now())
        self.context.report(change)
        // A card that waits for its next attempt is due later.
        self.context.board.signal(change.state == .received ? .prepare : .verify)
    }
}
