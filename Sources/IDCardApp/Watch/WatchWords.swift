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
        case .sidecarLate(_, let card, let outcome):
            self.line = "warning: a sidecar came after its photo was taken in as card \(card): \(Self.words(outcome))"
        case .pressure(.closed(_, let message, _)):
            self.line = "warning: files stay where they are for now: \(message)"
        case .pressure(.open): self.line = "there is room again: files are taken in"
        case .taken, .refused, .putOff, .placed, .scanned: return nil
        }
    }

    private static func words(_ outcome: WatchEvent.SidecarOutcome) -> String {
        switch outcome {
        case .applied: "the card says now what the sidecar says"
        case .tooLate: "the card is in a delivery or has ended, and stays as it is; see `cards show`"
        case .uncertain: "it may belong to a photo that is still to come, so it stays where it is; see `cards show`"
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
