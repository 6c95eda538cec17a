import CardEngine
import CardModel

/// What to do after a run: the lines on standard error.
struct RunAdvice {
    let end: RunEnd
    let tally: RunTally
    let inputs: [RunLine]
    let status: CommandStatus
    let documents: String?
    let addresses: [StageName: String]
    let failures: [StageName: RemoteFailure]

    var lines: [String] {
        var lines = self.end.stopped.sorted { $0.key.rawValue < $1.key.rawValue }.map { stage, failure in
            "\(stage.rawValue) stopped (\(failure.code)): \(failure.message.text())"
        }
        switch self.status {
        case .workRemains:
            lines += self.failureLines
            lines.append("Work remains: everything is kept in the sandbox, run the same command again.")
        case .endpointStopped: lines.append("Nothing is lost: put that right and run the same command again.")
        case .sandboxError:
            lines.append("No room in the sandbox: nothing is lost, free some space and run the same command again.")
        case .interrupted, .terminated: lines.append(self.interruptedLine)
        default: break
        }
        if self.tally.counts.total > 0, self.tally.counts["duplicate"] == self.tally.counts.total {
            lines.append("Nothing new: every input was taken in before, nothing was sent.")
        }
        if let documents { lines.append("The built-in backend keeps what it accepted in \(documents).") }
        return lines
    }

    /// The endpoints that hold the work up.
    private var failureLines: [String] {
        self.failures.sorted { $0.key.rawValue < $1.key.rawValue }.map { stage, failure in
            let name: String
            let key: String
            switch stage {
            case .verify: (name, key) = ("the verification service", "verification.url")
            case .deliver: (name, key) = ("the business backend", "delivery.url")
            // Each image names a host of its own.
            case .fetch, .prepare: return "\(stage.rawValue): \(failure.message.text())"
            }
            let place = self.addresses[stage].map { " at \($0)" } ?? ""
            return """
                \(stage.rawValue): \(name)\(place) does not take cards now (\(failure.code)); see whether it works, and check \(key).
                """
        }
    }

    /// What an interrupted run leaves to the next one.
    private var interruptedLine: String {
        let open = Set(self.inputs.filter { CardState(rawValue: $0.state)?.isRunnable == true }.map(\.cardID)).count
        let untouched = self.inputs.count { $0.cardID == nil && $0.state == "unchanged" }
        var parts: [String] = []
        if open > 0 { parts.append("\(open) \(open == 1 ? "card" : "cards") kept in the sandbox to go on with") }
        if untouched > 0 { parts.append("\(untouched) \(untouched == 1 ? "input" : "inputs") not taken in yet") }
        guard !parts.isEmpty else { return "Interrupted when every input had ended: nothing remains of them." }
        return "Interrupted, \(parts.joined(separator: " and ")): run the same command again to go on."
    }
}
