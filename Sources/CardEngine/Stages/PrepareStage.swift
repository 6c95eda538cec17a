import CardModel
import CardStore

/// Prepares the images of cards whose source bytes came over HTTP.
struct PrepareStage: StageWork {
    let context: EngineContext
    let stage = Stage.prepare
    let states: Set<CardState> = [.received]
    let scarcestSpace = DiskSpace.noIntake
    var cap: Int { self.context.settings.preparing }

    func nextDue() async throws -> Timestamp? {
        try await self.context.store.stages.nextDue(in: .received, now: self.context.time.now())
    }

    func claim(_ limit: Int) async throws -> Claimed<PreparationJob> {
        try await self.context.store.stages.claimPreparation(
            by: self.context.worker,
            limit: limit,
            now: self.context.time.now()
        )
    }

    func call(_ job: PreparationJob) async throws -> Result<PreparedImage, CodedError> {
        do { return .success(try await self.context.ports.prepare(job.content, true)) } catch let error as CodedError {
            return .failure(error)
        }
    }

    func conclude(_ job: PreparationJob, _ result: Result<PreparedImage, CodedError>) async throws -> [CardChange] {
        let change = try await self.context.store.stages.conclude(
            job,
            with: result,
            retryDelay: self.context.retryDelay(tries: job.tries),
            now: self.context.time.now()
        )
        self.context.board.signal(.verify)
        return [change]
    }
}

extension Result: CallOutcome where Success == PreparedImage, Failure == CodedError {
    var failureClass: FailureClass {
        switch self {
        case .success: .accepted
        case .failure(let error): error.kind == .input ? .rejected : .transient
        }
    }
}
