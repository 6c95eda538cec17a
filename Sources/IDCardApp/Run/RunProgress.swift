import IDCardCore
import IDCardPipeline
import Synchronization

/// Counts what the stages have done, for the live lines.
final class RunProgress: Sendable {
    /// One stage's figures.
    struct StageFigures: Hashable, Sendable {
        private(set) var done = 0
        var total = 0

        /// Counts one more that is done; one that nobody announced, from an earlier run, counts in the total, too.
        mutating func complete() {
            self.done += 1
            self.total = max(self.total, self.done)
        }
    }

    /// All figures at one moment.
    struct Figures: Hashable, Sendable {
        var intake = StageFigures()
        var verify = StageFigures()
        var deliver = StageFigures()
        var pauses: [Stage: StagePause] = [:]
        /// How much room the sandbox has.
        var space = StoreSpace.ample
    }

    private let figures = Mutex(Figures())

    /// The figures now.
    var current: Figures { self.figures.withLock { $0 } }

    /// Takes note of what the engine tells.
    func observe(_ event: PipelineEvent) {
        self.figures.withLock { figures in
            switch event {
            case .intakeStarted(let inputs): figures.intake.total = inputs
            case .input(_, let result):
                figures.intake.complete()
                if case .duplicate(let card, _) = result { Self.countBacklog(card, in: &figures) }
            case .cardChanged(let card): Self.count(card, in: &figures)
            case .spaceChanged(let space): figures.space = space
            case .cardWaits, .shuttingDown: break
            case .stagePaused(let stage, let pause): figures.pauses[stage] = pause
            case .stageResumed(let stage): figures.pauses[stage] = nil
            }
        }
    }

    /// A card from an earlier run that this one takes up where it stands.
    private static func countBacklog(_ card: Card, in figures: inout Figures) {
        switch card.state {
        case .prepared: figures.verify.total += 1
        case .delivering: figures.deliver.total += 1
        default: break
        }
    }

    private static func count(_ card: Card, in figures: inout Figures) {
        switch card.state {
        case .prepared: figures.verify.total += 1
        case .verified: figures.verify.complete()
        case .delivering: figures.deliver.total += 1
        case .delivered: figures.deliver.complete()
        case .rejected, .failed, .held:
            // A card ends in the stage it was in; what the totals say is how far the work is, not where it ended.
            if figures.verify.done < figures.verify.total { figures.verify.complete() }
        case .fetching, .received, .superseded, .erased: break
        }
    }
}
