import IDCardCore
import IDCardPipeline

/// Drives a batch through an engine.
struct RunPipeline: Sendable {
    /// How the batch ended.
    struct End: Sendable {
        var ending: BatchEnding
        var pauses: [Stage: StagePause]
        /// The codes of the endpoints that do not get their work done.
        var failures: [Stage: String] = [:]
    }

    let host: EngineHost

    /// Takes in all inputs and drives every card as far as it goes, or until the end is requested.
    func run(_ items: IntakeList, until shutdown: Shutdown) async throws -> End {
        try await self.host.with { engine in
            let ending = try await engine.runBatch(items, until: shutdown)
            return End(ending: ending, pauses: engine.pauses, failures: engine.failures.mapValues(\.code))
        }
    }
}
