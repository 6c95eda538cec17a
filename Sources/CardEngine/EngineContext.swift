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

    /// The terms by which the rules decide which cards may go.
    var deciding: DecidingTerms {
        DecidingTerms(
            policy: self.settings.policy,
            rules: self.settings.rules,
            hasDefaultUserNumber: self.settings.hasDefaultUserNumber
        )
    }

    /// What the free space of the sandbox's disk allows.
    var room: DiskSpace { self.store.intake.room(intakeFreeSpace: self.settings.intakeFreeSpace) }

    /// Returns the terms by which a failed call is repeated.
    func retryTerms(_ pace: EngineSettings.Pace, tries: Int) -> RetryTerms {
        RetryTerms(maxAttempts: pace.maxAttempts, delay: self.retryDelay(tries: tries))
    }

    /// Returns how long a card with a number of failed tries waits after the next failure.
    func retryDelay(tries: Int) -> Duration {
        var random = SystemRandomNumberGenerator()
        return self.settings.retry.delay(afterAttempt: tries + 1, using: &random)
    }

    func prepare(_ source: Data, isForeign: Bool = false) async throws -> PreparedImage {
        try await self.measure(.prepare) { try await self.ports.prepare(source, isForeign) }
    }

    /// Makes a call and reports its result and duration; a cancelled call is not reported.
    func measure<Value>(
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
