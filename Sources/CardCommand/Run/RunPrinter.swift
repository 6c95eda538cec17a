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
            await OutputFormat.jsonl.print(self.line(place, cards: card))
        }
    }

    /// Prints the report and returns the exit status that it calls for.
    func print(_ end: RunEnd, runID: String, format: OutputFormat, documents: String?, addresses: [StageName: String])
        async throws -> CommandStatus
    {
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
            for line in lines where Self.isWorthPrinting(line) { await Console.standardOutput(line.text) }
            await Console.standardOutput(tally.counts.line)
        case .json:
            await Console.standardOutput(JSONText.document(RunReport(runID: runID, counts: tally.counts, cards: lines)))
        case .jsonl:
            let open = self.tracker.count > 0 ? self.tracker.unfinished.map { lines[$0] } : lines
            for line in open { await Console.standardOutput(JSONText.line(line)) }
            await Console.standardOutput(JSONText.line(RunReport(runID: runID, counts: tally.counts, cards: nil)))
        }
        let words = RunAdvice(
            end: end,
            tally: tally,
            inputs: lines,
            status: status,
            documents: documents,
            addresses: addresses,
            failures: self.tracker.figures.lastFailures
        )
        for advice in words.lines {
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
}
