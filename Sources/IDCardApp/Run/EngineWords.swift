import IDCardPipeline

/// What a run says on standard error about an event of the engine, if that asks for words.
struct EngineWords: Hashable, Sendable {
    /// One line for a person.
    let line: String

    /// The words for an event; `nil` for those that only move the figures.
    init?(_ event: PipelineEvent) {
        switch event {
        case .shuttingDown(let requests, let timeout):
            self.line = Self.shuttingDown(requests: requests, timeout: timeout)
        case .spaceChanged(let space):
            self.line = Self.space(space)
        case .intakeStarted, .input, .cardChanged, .cardWaits, .stagePaused, .stageResumed:
            return nil
        }
    }

    private static func space(_ space: StoreSpace) -> String {
        switch space {
        case .ample: "there is room in the sandbox again: intake goes on"
        // The message says what stands still and what to do.
        case .low(let message), .critical(let message): "warning: \(message); the rest goes on by itself then"
        }
    }

    private static func shuttingDown(requests: Int, timeout: Duration) -> String {
        guard requests > 0 else { return "interrupted: no request is under way; signal again to stop at once" }
        let what = requests == 1 ? "1 request" : "\(requests) requests"
        return "interrupted: finishing \(what), up to \(DurationText.render(timeout)); signal again to stop at once"
    }
}
