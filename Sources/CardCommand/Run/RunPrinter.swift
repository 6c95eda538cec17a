import CardEngine
import CardModel
import CardStore

/// Prints what became of the inputs of a run: data on standard output, advice on standard error.
struct RunPrinter: Sendable {
    let tracker: RunTracker
    let store: CardStore

    /// How many cards are fetched at a time.
    private static let pageSize = 256

    /// Prints the line of each input as its card ends (`jsonl`).
    func printEndings() async throws {
        for await place in self.tracker.endings {
            let card = try await self.fetch(self.tracker.card(at: place).map { [$0] } ?? [])
            Console.standardOutput(JSONText.line(self.line(place, cards: card)))
        }
    }

    /// Prints the report and returns the exit status that it calls for.
    func print(_ end: RunEnd, runID: String, format: OutputFormat, documents: String?) async throws -> CommandStatus {
        let cards = try await self.fetch(self.tracker.knownCards)
        let tally = self.tracker.outcome(cards: cards)
        var status = tally.status(isStopped: !end.stopped.isEmpty)
        // A signal may come when everything has ended: what the cards say is the better news.
        if let signal = end.signal, status == .workRemains || status == .endpointStopped { status = signal }
        let lines =
            self.tracker.count > 0
            ? (0..<self.tracker.count).map { self.line($0, cards: cards) } : Self.lines(of: Array(cards.values))
        switch format {
        case .text:
            for line in lines where Self.isWorthPrinting(line) { Console.standardOutput(line.text) }
            Console.standardOutput(tally.counts.line)
        case .json:
            Console.standardOutput(JSONText.document(RunReport(runID: runID, counts: tally.counts, cards: lines)))
        case .jsonl:
            let open = self.tracker.count > 0 ? self.tracker.unfinished.map { lines[$0] } : lines
            for line in open { Console.standardOutput(JSONText.line(line)) }
            Console.standardOutput(JSONText.line(RunReport(runID: runID, counts: tally.counts, cards: nil)))
        }
        for advice in self.advice(end, tally: tally, status: status, documents: documents) {
            Console.standardError(advice)
        }
        return status
    }

    private func line(_ place: Int, cards: [CardID: Card]) -> RunLine {
        self.tracker.line(place, card: self.tracker.card(at: place).flatMap { cards[$0] })
    }

    private static func lines(of cards: [Card]) -> [RunLine] {
        cards.sorted { $0.order < $1.order }.map { card in
            var line = RunLine(source: "", state: card.state.rawValue)
            line.describe(card)
            return line
        }
    }

    private func fetch(_ ids: [CardID]) async throws -> [CardID: Card] {
        var cards: [CardID: Card] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.pageSize) {
            let page = Array(ids[start..<min(start + Self.pageSize, ids.count)])
            for card in try await self.store.cards(page) { cards[card.id] = card }
        }
        return cards
    }

    /// What did not get delivered, and why; what was rejected before is no news.
    private static func isWorthPrinting(_ line: RunLine) -> Bool {
        switch CardState(rawValue: line.state) {
        case .rejected: line.duplicateOf == nil
        case .failed, .held: true
        case .verified: line.reason.map { Card.blockingReasons.contains(ReasonCode(rawValue: $0)) } ?? false
        case .superseded: line.duplicateOf != nil
        default: false
        }
    }

    // MARK: Advice

    private func advice(_ end: RunEnd, tally: RunTally, status: CommandStatus, documents: String?) -> [String] {
        var lines = end.stopped.sorted { $0.key.rawValue < $1.key.rawValue }.map { stage, failure in
            "\(stage.rawValue) stopped (\(failure.code)): \(failure.message.text())"
        }
        switch status {
        case .workRemains:
            lines += self.failureLines
            lines.append("Work remains: everything is kept in the sandbox, run the same command again.")
        case .endpointStopped: lines.append("Nothing is lost: put that right and run the same command again.")
        case .sandboxError:
            lines.append("No room in the sandbox: nothing is lost, free some space and run the same command again.")
        case .interrupted, .terminated:
            lines.append(
                "Interrupted: everything taken in is kept in the sandbox, run the same command again to go on."
            )
        default: break
        }
        if tally.counts.total > 0, tally.counts["duplicate"] == tally.counts.total {
            lines.append("Nothing new: every input was taken in before, nothing was sent.")
        }
        if let documents { lines.append("The built-in backend keeps what it accepted in \(documents).") }
        return lines
    }

    /// The endpoints that hold the work up.
    private var failureLines: [String] {
        self.tracker.figures.lastFailures.sorted { $0.key.rawValue < $1.key.rawValue }.map { stage, failure in
            let (name, key) =
                stage == .verify
                ? ("the verification service", "verification.url") : ("the business backend", "delivery.url")
            return """
                \(stage.rawValue): \(name) does not take cards now (\(failure.code)); see whether it works, and check \(key).
                """
        }
    }
}
