import IDCardCore
import IDCardPipeline

/// Renders the end of a run for people.
struct RunSummary {
    let counts: RunCounts
    let cards: RunReports
    let pauses: [Stage: StagePause]
    /// The codes of the endpoints that do not get their work done.
    var failures: [Stage: String] = [:]
    /// The addresses of the endpoints; empty for the built-in ones.
    var endpoints: [Stage: String] = [:]
    /// How the stages stand at the end.
    var standings: [Stage: StageStanding] = [:]
    /// Whether all that remains is in the hands of other processes.
    let isLeftToOthers: Bool
    let status: CommandStatus
    /// Where the embedded backend keeps its documents; `nil` for a real backend.
    let documents: String?

    /// The lines for standard output: what did not get delivered and why, then the counts.
    var dataLines: [String] {
        self.cards.lazy.filter(Self.isWorthALine).map(Self.line) + [self.countsLine]
    }

    /// The lines for standard error: what to do next.
    var adviceLines: [String] {
        var lines = self.pauses.sorted { $0.key.rawValue < $1.key.rawValue }.map { stage, pause in
            "\(stage.rawValue) stopped (\(pause.code)): \(pause.message)"
        }
        switch self.status {
        case .workRemains where self.isLeftToOthers:
            lines.append(
                "Work remains with another process that uses this sandbox: it goes on there; run the same command again to see how it ended."
            )
        case .workRemains:
            lines += self.failureLines
            lines.append("Work remains: everything is kept in the sandbox, run the same command again.")
        case .endpointStopped: lines.append("Nothing is lost: put that right and run the same command again.")
        case .sandboxError:
            lines.append("No room in the sandbox: nothing is lost, free some space and run the same command again.")
        case .interrupted, .terminated:
            lines.append(self.interruptedLine)
        default: break
        }
        if self.counts.total > 0, self.counts["duplicate"] == self.counts.total {
            lines.append("Nothing new: every input was taken in before, nothing was sent.")
        }
        if let documents = self.documents {
            lines.append("The built-in backend keeps what it accepted in \(documents).")
        }
        return lines
    }

    /// The endpoints that hold the work up.
    private var failureLines: [String] {
        self.failures.sorted { $0.key.rawValue < $1.key.rawValue }.map { stage, code in
            let (name, key) = stage.endpoint ?? ("the endpoint", "the configuration")
            let place = self.endpoints[stage].map { " at \($0)" } ?? ""
            let since = self.standings[stage]?.failure.map { ", since \($0.since)" } ?? ""
            return
                "\(stage.rawValue): \(name)\(place) does not take cards now (\(code)\(since)); see whether it works, and check \(key)."
        }
    }

    /// What an interrupted run leaves to the next one.
    private var interruptedLine: String {
        let open = Set(
            self.cards.lazy.filter { card in
                CardState(rawValue: card.state)?.isRunnable == true && !Self.isBlocked(card)
            }.map(\.cardID)
        ).count
        let untouched = self.cards.count { $0.cardID == nil && $0.state == RunInputEnd.unchanged.key }
        var parts: [String] = []
        if open > 0 { parts.append("\(open) \(open == 1 ? "card" : "cards") kept in the sandbox to go on with") }
        if untouched > 0 { parts.append("\(untouched) \(untouched == 1 ? "input" : "inputs") not taken in yet") }
        guard !parts.isEmpty else { return "Interrupted when every input had ended: nothing remains of them." }
        return "Interrupted, \(parts.joined(separator: " and ")): run the same command again to go on."
    }

    /// The counts in a line.
    var countsLine: String { self.counts.line }

    private static func isWorthALine(_ card: RunCardReport) -> Bool {
        switch CardState(rawValue: card.state) {
        // What was rejected before is no news.
        case .rejected: card.duplicateOf == nil
        case .failed, .held: true
        case .verified: Self.isBlocked(card)
        // Whoever sends it in again is told why it is not sent.
        case .superseded: card.duplicateOf != nil && Self.advice(on: card.reason) != nil
        default: false
        }
    }

    private static func isBlocked(_ card: RunCardReport) -> Bool {
        RunCard.isBlocked(reason: card.reason.map(ReasonCode.init(rawValue:)))
    }

    /// What a person can do for a card that waits for one.
    private static func advice(on reason: String?) -> String? {
        switch reason.map(ReasonCode.init(rawValue:)) {
        case .blockedByFront: "the front of its business number was not delivered; see to that, then run again"
        case .blockedByConflict:
            "fronts of its business number name different persons; accept or reject them (`cards resolve`), then run again"
        case .blockedByOlderPhoto: "an older photo of the same side has no end yet; see to that, then run again"
        case .superseded: "a newer photo of the same side replaced it, so it is not sent"
        case .replacedBySent: "a newer photo of the same side was sent in its place"
        default: nil
        }
    }

    /// One card as a line: state, source, and what there is to say.
    static func line(_ card: RunCardReport) -> String {
        let state = card.state.padding(to: 9)
        let reason = card.reason.map { " \($0)" } ?? ""
        let message = (card.message ?? Self.advice(on: card.reason)).map { ": \($0)" } ?? ""
        let name = card.source.isEmpty ? card.cardID?.rawValue ?? "" : card.source
        return "\(state) \(name)\(reason)\(message)\(Self.decision(on: card))"
    }

    /// How a person decides on a card that is held.
    private static func decision(on card: RunCardReport) -> String {
        guard card.state == CardState.held.rawValue, let id = card.cardID else { return "" }
        let mayBeAtBackend = [ReasonCode.outcomeUnknown, .restored].map(\.rawValue).contains(card.reason)
        let choices = mayBeAtBackend ? "delivered|resend|reject" : "accept|reject"
        return "; decide by `idcard-pipeline cards resolve \(id) --as \(choices)`"
    }
}

extension String {
    /// The text filled with spaces on the right up to a width.
    func padding(to width: Int) -> String {
        self.count < width ? self + String(repeating: " ", count: width - self.count) : self
    }
}
