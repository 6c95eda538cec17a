import IDCardCore
import Metrics

/// The engine's own figures: what its stages did since the process began, never for whom.
///
/// | name | labels | what |
/// |---|---|---|
/// | `idcard_stage_calls_total` | stage, outcome | pieces of work by how they ended (`FailureClass`) |
/// | `idcard_stage_duration_seconds` | stage | how long one took |
/// | `idcard_inputs_total` | result | inputs of runs and watched folders: `admitted`, `duplicate`, `refused`, `ignored` |
/// | `idcard_cards_entered_total` | state | cards that entered each state |
struct StageMetrics: Sendable {
    /// What is counted by stage.
    enum Work: String, CaseIterable, Sendable {
        /// A fetch of an image by URL.
        case fetch
        /// Decoding and recompressing an image.
        case prepare
        /// A call of the verification service.
        case verify
        /// A call of the business backend.
        case deliver
    }

    private struct Outcome: Hashable {
        var work: Work
        var failureClass: FailureClass
    }

    private let calls: [Outcome: Counter]
    private let durations: [Work: Metrics.Timer]
    private let entered: [CardState: Counter]
    private let admitted: Counter
    private let duplicate: Counter
    private let refused: Counter
    private let ignored: Counter

    init(_ factory: any MetricsFactory) {
        let counter = { (label: String, dimensions: [(String, String)]) in
            Counter(label: label, dimensions: dimensions, factory: factory)
        }
        var calls: [Outcome: Counter] = [:]
        var durations: [Work: Metrics.Timer] = [:]
        for work in Work.allCases {
            let stage = ("stage", work.rawValue)
            durations[work] = Metrics.Timer(label: "idcard.stage.duration", dimensions: [stage], factory: factory)
            for failureClass in FailureClass.allCases {
                calls[Outcome(work: work, failureClass: failureClass)] =
                    counter("idcard.stage.calls", [stage, ("outcome", failureClass.rawValue)])
            }
        }
        self.calls = calls
        self.durations = durations
        self.entered = CardState.allCases.reduce(into: [:]) { entered, state in
            entered[state] = counter("idcard.cards_entered", [("state", state.rawValue)])
        }
        self.admitted = counter("idcard.inputs", [("result", "admitted")])
        self.duplicate = counter("idcard.inputs", [("result", "duplicate")])
        self.refused = counter("idcard.inputs", [("result", "refused")])
        self.ignored = counter("idcard.inputs", [("result", "ignored")])
    }

    /// Does a piece of work and counts how it ended; one that throws was given up and counts as none.
    func measure<Value>(
        _ work: Work,
        _ make: () async throws -> Value,
        endedAs failureClass: (Value) -> FailureClass
    ) async throws -> Value {
        let start = ContinuousClock.now
        let value = try await make()
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        self.durations[work]?.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        self.calls[Outcome(work: work, failureClass: failureClass(value))]?.increment()
        return value
    }

    /// Counts what an event tells.
    func count(_ event: PipelineEvent) {
        switch event {
        case .cardChanged(let card): self.entered[card.state]?.increment()
        case .input(_, .admitted): self.admitted.increment()
        case .input(_, .duplicate): self.duplicate.increment()
        case .input(_, .refused): self.refused.increment()
        case .input(_, .ignored): self.ignored.increment()
        case .intakeStarted, .cardWaits, .stagePaused, .stageResumed, .spaceChanged, .shuttingDown: break
        }
    }
}
