import CardModel
import CardStore

/// What every stage of a process shares.
struct EngineContext: Sendable {
    let store: CardStore
    let worker: Worker
    let ports: EnginePorts
    let settings: EngineSettings
    let time: EngineTime
    let board: WorkBoard
    /// Images of requests that are prepared, by sender; a list, or fetched photos, have places of their own.
    let uploads: WaitingLine<[String: Int], String>
    /// Whether as many cards are under way as may be at a time.
    let isFull: @Sendable () async throws -> Bool
    /// Takes events in; called from every stage, so it must not wait.
    var events: @Sendable (PipelineEvent) -> Void

    /// Tells of a card that moved on; it may have kept others of its number waiting.
    func tell(_ change: CardChange) {
        self.events(.changed(change))
        self.board.ring(.deliver)
    }

    var deciding: DecidingTerms {
        DecidingTerms(
            policy: self.settings.policy,
            rules: self.settings.rules,
            hasDefaultUserNumber: self.settings.hasDefaultUserNumber
        )
    }

    /// What there is room for on the disk of the sandbox.
    var room: DiskRoom { self.store.room(intakeFreeSpace: self.settings.intakeFreeSpace) }

    func retryTerms(maxAttempts: Int, tries: Int) -> RetryTerms {
        var random = SystemRandomNumberGenerator()
        return RetryTerms(
            maxAttempts: maxAttempts,
            delay: self.settings.retry.delay(afterAttempt: tries + 1, using: &random)
        )
    }
}
