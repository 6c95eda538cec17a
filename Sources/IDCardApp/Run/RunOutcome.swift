import IDCardPipeline

/// What a run came to, and how it is told.
struct RunOutcome: Sendable {
    let runID: String
    let tracker: RunTracker
    let end: SignalRace<RunPipeline.End>
    /// Where the embedded backend keeps its documents; `nil` for a real backend.
    let documents: String?

    /// The exit status: a signal first, then what the inputs call for.
    var status: CommandStatus {
        switch self.end {
        case .signal(let signal): signal.exitStatus
        case .finished(let end): self.tracker.exitStatus(stopped: !end.pauses.isEmpty)
        }
    }

    private var pauses: [Stage: StagePause] {
        switch self.end {
        case .signal: [:]
        case .finished(let end): end.pauses
        }
    }

    /// Prints the report in the form asked for.
    func print(format: OutputFormat) {
        let counts = self.tracker.counts()
        let summary = RunSummary(
            counts: counts,
            cards: self.tracker.reports(),
            pauses: self.pauses,
            status: self.status,
            documents: self.documents
        )
        switch format {
        case .text:
            for line in summary.dataLines { Console.standardOutput(line) }
        case .json:
            Console.standardOutput(
                JSONText.document(RunReport(runID: self.runID, counts: counts, cards: self.tracker.reports()))
            )
        case .jsonl:
            for report in self.tracker.unfinished() { Console.standardOutput(JSONText.line(report)) }
            Console.standardOutput(JSONText.line(RunReport(runID: self.runID, counts: counts, cards: nil)))
        }
        for line in summary.adviceLines { Console.standardError(line) }
    }
}
