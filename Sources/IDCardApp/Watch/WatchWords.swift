import IDCardPipeline
import IDCardTriggers

/// What a watch says on standard error, if an event asks for words.
struct WatchWords: Hashable, Sendable {
    /// One line for a person.
    let line: String

    /// The words for an event of the watched folders.
    init?(_ event: WatchEvent) {
        switch event {
        case .problem(let root, _, let message): self.line = "warning: watched folder \(root): \(message)"
        case .mended(let root, let problem):
            self.line = "watched folder \(root) is in order again (\(problem.rawValue))"
        case .pressure(.closed(_, let message, _)):
            self.line = "warning: files stay where they are for now: \(message)"
        case .pressure(.open): self.line = "there is room again: files are taken in"
        case .taken, .refused, .putOff, .placed, .scanned: return nil
        }
    }

    /// The words for an event of the engine.
    init?(_ event: PipelineEvent) {
        switch event {
        case .stagePaused(let stage, let pause):
            self.line = "warning: \(stage.rawValue) stopped (\(pause.code)): \(pause.message)"
        case .stageResumed(let stage): self.line = "\(stage.rawValue) works again"
        case .shuttingDown, .spaceChanged:
            guard let words = EngineWords(event) else { return nil }
            self.line = words.line
        case .intakeStarted, .input, .cardChanged, .cardWaits: return nil
        }
    }
}
