import IDCardPipeline

/// Drives a batch through the engine of an assembly.
struct RunPipeline: Sendable {
    /// How the batch ended.
    struct End: Sendable {
        var ending: BatchEnding
        var pauses: [Stage: StagePause]
    }

    let assembly: PipelineAssembly

    /// Takes in all inputs and drives every card as far as it goes, or until the end is requested.
    func run(_ items: [IntakeItem], until shutdown: Shutdown) async throws -> End {
        try await self.assembly.withEngine { engine in
            let ending = try await engine.runBatch(items, until: shutdown)
            return End(ending: ending, pauses: engine.pauses)
        }
    }
}
