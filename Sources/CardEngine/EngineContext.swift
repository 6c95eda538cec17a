import CardModel
import CardStore
import Foundation

/// The dependencies and settings that the stages of a process share.
struct EngineContext: Sendable {
    let store: Sandbox
    let worker: Worker
    let ports: EnginePorts
    let settings: EngineSettings
    let time: EngineTime
    let board: WorkBoard
    /// The queue of images of requests for preparation, by submitter; lists and fetched photos have their own limits.
    let uploads: FairQueue<[String: Int], String>
    /// Whether the limit of cards in progress is reached.
    let isFull: @Sendable () async throws -> Bool
    /// Receives events; called from every stage, so it must not wait.
    var events: @Sendable (PipelineEvent) -> Void

    /// Reports a change of a card, and wakes the delivery: other cards of its number may have waited for it.
    func report(_ change: CardChange) {
        self.events(.changed(change))
        self.board.signal(.deliver)
    }

    var deciding: DecidingTerms {
        DecidingTerms(
            policy: self.settings.policy,
            rules: self.settings.rules,
            hasDefaultUserNumber: self.settings.hasDefaultUserNumber
        )
    }

    /// What the free space of the sandbox's disk allows.
    var room: DiskSpace { self.store.intake.room(intakeFreeSpace: self.settings.intakeFreeSpace) }

    func retryTerms(maxAttempts: Int, tries: Int) -> RetryTerms {
        var random = SystemRandomNumberGenerator()
        return RetryTerms(
            maxAttempts: maxAttempts,
            delay: self.settings.retry.delay(afterAttempt: tries + 1, using: &random)
        )
    }

    // MARK: Calls

    func prepare(_ source: Data, isForeign: Bool = false) async throws -> PreparedImage {
        let prepare = isForeign ? self.ports.prepareForeign : self.ports.prepare
        return try await self.measure(.prepare) { try await prepare(source) }
    }

    func fetch(_ request: FetchRequest, store: @escaping Fetcher.StorePiece) async throws -> FetchOutcome {
        try await self.measure(.fetch) {
            try await self.ports.fetcher.fetch(request, store: store)
        } endedAs: { outcome in
            switch outcome {
            case .fetched: .accepted
            case .failed(let failure): failure.failureClass
            case .forbidden, .unusable: .rejected
            }
        }
    }

    func verify(_ image: PreparedImage) async throws -> VerificationOutcome {
        try await self.measure(.verify) {
            try await self.ports.verifier.verify(image)
        } endedAs: { outcome in
            if case .failed(let failure) = outcome { failure.failureClass } else { .accepted }
        }
    }

    func send(_ job: DeliveryJob) async throws -> DeliveryOutcome {
        try await self.measure(.deliver) {
            try await self.ports.backend.send(job.outbound) { sent, total in
                self.events(.sending(job.id, sent: sent, total: total))
            }
        } endedAs: {
            $0.failureClass
        }
    }

    /// Reports the result and the duration of a call; an abandoned call is not reported.
    private func measure<Value>(
        _ stage: Stage,
        _ call: () async throws -> Value,
        endedAs failureClass: (Value) -> FailureClass = { _ in .accepted }
    ) async throws -> Value {
        let start = self.time.steady()
        let value: Value
        do {
            value = try await call()
        } catch let error as CodedError {
            self.events(.called(stage, error.kind == .input ? .rejected : .transient, took: self.time.steady() - start))
            throw error
        }
        self.events(.called(stage, failureClass(value), took: self.time.steady() - start))
        return value
    }
}
