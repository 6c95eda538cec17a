import IDCardPipeline

/// What a run came to, and how it is told.
struct RunOutcome: Sendable {
    let runID: String
    let tracker: RunTracker
    let end: RunPipeline.End
    /// The signal that asked for the end, if one came before it.
    let signal: EndingSignal?
    /// Where the embedded backend keeps its documents; `nil` for a real backend.
    let documents: String?
    /// The addresses of the endpoints; empty for the built-in ones.
    var endpoints: [Stage: String] = [:]
    /// How the stages stand at the end.
    var standings: [Stage: StageStanding] = [:]
    /// What waits for inputs that are expected or were refused.
    var waiting = WaitingApplications()

    /// The exit status: a signal first, then what the inputs call for.
    var status: CommandStatus {
        // A signal may come when everything has ended: what it says is the better news.
        if self.end.ending == .interrupted, let signal = self.signal { return signal.exitStatus }
        return self.tracker.exitStatus(
            stopped: !self.end.pauses.isEmpty,
            isExhausted: [.patienceExhausted, .leftToOthers].contains(self.end.ending),
            isWaiting: !self.waiting.isEmpty
        )
    }

    /// Prints the report in the form asked for.
    func print(format: OutputFormat) {
        let counts = self.tracker.counts()
        let summary = RunSummary(
            counts: counts,
            cards: self.tracker.reports(),
            pauses: self.end.pauses,
            failures: self.end.failures,
            endpoints: self.endpoints,
            standings: self.standings,
            isLeftToOthers: self.end.ending == .leftToOthers,
            status: self.status,
            documents: self.documents
        )
        switch format {
        case .text:
            for line in summary.dataLines { Console.standardOutput(line) }
        case .json:
            RunReport(runID: self.runID, counts: counts, cards: self.tracker.reports()).write(Console.standardOutput)
        case .jsonl:
            for report in self.tracker.unfinished() { Console.standardOutput(JSONText.line(report)) }
            Console.standardOutput(JSONText.line(RunReport(runID: self.runID, counts: counts, cards: nil)))
        }
        for line in self.waiting.lines + summary.adviceLines { Console.standardError(line) }
    }
}
