import CardModel
import CardRemote
import CardServer
import CardStore
import Synchronization

/// Prints the results of a run's inputs: data on standard output, advice on standard error.
final class RunPrinter: Sendable {
    let format: OutputFormat
    private let tracker: RunTracker
    private let store: Sandbox
    private let configuration: Configuration
    private let runID: String
    private let printed = Mutex<Set<RunEnding>>([])
    private let folds = Mutex(RunFolds())

    /// How many cards are read at a time.
    private static let pageSize = 256

    init(_ tracker: RunTracker, store: Sandbox, configuration: Configuration, format: OutputFormat, runID: String) {
        (self.tracker, self.store, self.configuration, self.format) = (tracker, store, configuration, format)
        self.runID = runID
    }

    /// Prints lines as their cards finish: in text only those with a change to report to a person.
    func printEndings() async throws {
        for await ending in self.tracker.endings {
            // An input that has not finished may still retake a known card.
            guard self.format != .text || self.tracker.isChange(ending) else { continue }
            let card = try await self.fetch(self.tracker.cards(of: ending))
            let line = try await self.line(ending, cards: card)
            guard self.format != .text || line.notice != .nothing,
                self.printed.withLock({ $0.insert(ending).inserted })
            else { continue }
            if self.format != .text || self.folds.withLock({ $0.shows(line) }) { await self.format.print(line) }
        }
    }

    /// Prints the report and returns its exit status.
    ///
    /// - Parameters:
    ///   - stopped: the failures that stopped a stage for which cards wait.
    ///   - signal: the status of the signal that asked to stop, if one came in time.
    ///   - table: the table of the inputs to write.
    func print(
        stopped: [Stage: RemoteFailure],
        signal: CommandStatus?,
        into table: RunTable? = nil
    ) async throws -> CommandStatus {
        let cards = try await self.fetch(self.tracker.knownCards)
        let endings: [RunEnding] =
            self.tracker.count > 0
            ? (0..<self.tracker.count).map(RunEnding.input)
            : cards.values.sorted { $0.order < $1.order }.map { .card($0.id) }
        var lines: [RunLine] = []
        for ending in endings { lines.append(try await self.line(ending, cards: cards)) }
        let counts = RunCounts(lines)
        var status = RunLine.status(of: lines, isStopped: !stopped.isEmpty)
        let incomplete = try await self.store.listings.count(of: .incomplete, among: self.tracker.numbers(of: cards))
        if incomplete > 0, self.configuration.sides == .both, status == .delivered { status = .someNotDelivered }
        // A signal may come when all cards have finished: then their result is the more useful status.
        if let signal, status == .workRemains || status == .endpointStopped { status = signal }
        await self.print(endings, lines, counts)
        for advice in self.advice(status, stopped, counts, lines) { Console.say(advice) }
        // Report until when an endpoint asked us to pause.
        for pause in try await self.store.endpoints.pauses() where pause.failureClass == .throttled {
            Console.say(pause.text)
        }
        if incomplete > 0 {
            let message = Message.runIncomplete(incomplete)
            Console.say(self.configuration.sides == .both ? message : .consoleNote(message))
        }
        try await table?.write(lines, noting: self.store)
        return status
    }

    /// Prints the remaining lines and the counts.
    private func print(_ endings: [RunEnding], _ lines: [RunLine], _ counts: RunCounts) async {
        let printed = self.printed.withLock(\.self)
        let rest = zip(endings, lines).filter { !printed.contains($0.0) }.map(\.1)
        switch self.format {
        case .text:
            for line in rest where line.notice != .nothing && self.folds.withLock({ $0.shows(line) }) {
                await self.format.print(line)
            }
            for summary in self.folds.withLock({ $0.summaries }) {
                await Console.standardOutput(Console.readable(summary))
            }
            await Console.standardOutput(counts.line.text())
        case .json:
            let report: JSONObject = ["run_id": self.runID, "counts": counts, "cards": lines]
            await Console.standardOutput(JSONText.document(report))
        case .jsonl:
            for line in rest { await self.format.print(line) }
            await Console.standardOutput(JSONText.line(["run_id": self.runID, "counts": counts] as JSONObject))
        }
    }

    private func line(_ ending: RunEnding, cards: [CardID: Card]) async throws -> RunLine {
        let card = self.tracker.cards(of: ending).lazy.compactMap { cards[$0] }.first
        var line = self.tracker.line(ending, card: card)
        if let card, card.reason == .frontMissing { line.frontAdvice = try await self.advice(on: card) }
        return line
    }

    /// The advice for a back if its front is the cause of the case's state.
    private func advice(on back: Card) async throws -> Message? {
        try await self.store.listings.oneCase(back.metadata.businessNumber, for: .process)?.advice(onBack: back.id)
    }

    private func fetch(_ ids: [CardID]) async throws -> [CardID: Card] {
        var cards: [CardID: Card] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.pageSize) {
            let page = Array(ids[start..<min(start + Self.pageSize, ids.count)])
            for card in try await self.store.listings.cards(page, for: .process) { cards[card.id] = card }
        }
        return cards
    }

    // MARK: Advice after a run

    private func reasons(
        _ failures: [Stage: RemoteFailure],
        _ placed: (Stage, RemoteFailure, _ url: String) -> Message,
        _ placeless: (Stage, RemoteFailure) -> Message
    ) -> [Message] {
        let (verifier, backend) = (self.configuration.verification?.endpoint, self.configuration.delivery?.endpoint)
        let urls = [Stage.verify: verifier?.url, .deliver: backend?.url]
        return failures.sorted { $0.key.rawValue < $1.key.rawValue }.map { stage, failure in
            // A query may hold a secret.
            guard let url = urls[stage] ?? nil else { return placeless(stage, failure) }
            return placed(stage, failure, String(url.prefix { $0 != "?" }))
        }
    }

    private func advice(
        _ status: CommandStatus,
        _ stopped: [Stage: RemoteFailure],
        _ counts: RunCounts,
        _ inputs: [RunLine]
    ) -> [Message] {
        var lines = self.reasons(stopped, Message.runStoppedAt, Message.runStopped)
        switch status {
        case .workRemains:
            lines += self.reasons(self.tracker.figures.lastFailures, Message.runDelayedAt, Message.runDelayed)
            lines.append(.runWorkRemains)
        case .endpointStopped: lines.append(.runEndpointStopped)
        case .sandboxError: lines.append(.runNoSpace)
        case .interrupted, .terminated: lines.append(Self.whatIsLeft(of: inputs))
        default: break
        }
        if let upkeep = self.tracker.figures.upkeep { lines.append(.consoleWarning(upkeep)) }
        if counts.total > 0, counts["duplicate"] == counts.total { lines.append(.runNothingNew) }
        let known = Set(inputs.filter { $0.notice.needsPerson && $0.duplicateOf != nil }.map(\.cardID)).count
        if known > 0 { lines.append(.runKnown(known)) }
        if self.configuration.isEmbedded { lines.append(.runDocuments(self.configuration.embeddedDocuments)) }
        return lines
    }

    /// The work that an interrupted run leaves to the next one.
    private static func whatIsLeft(of inputs: [RunLine]) -> Message {
        let open = Set(inputs.filter { CardState(rawValue: $0.state)?.isRunnable == true }.map(\.cardID)).count
        let untouched = inputs.count { $0.cardID == nil && $0.state == "unchanged" }
        var parts: [Message] = []
        if open > 0 { parts.append(.runKept(open)) }
        if untouched > 0 { parts.append(.runUntouched(untouched)) }
        return parts.isEmpty ? .runInterruptedDone : .runInterrupted(parts)
    }
}

/// Lines of one reason and message: the first ones are printed, and at the end the names of the others.
struct RunFolds: Sendable {
    /// How many lines, and how many names of the others, are printed.
    private static let (mostShown, mostNamed) = (3, 20)

    private var shown: [String: Int] = [:]
    private var folded: [String: [RunLine]] = [:]

    /// Whether a line is one of the first of its kind, and therefore printed.
    mutating func shows(_ line: RunLine) -> Bool {
        let kind = line.kind.line.text()
        let count = self.shown[kind, default: 0]
        self.shown[kind] = count + 1
        if count >= Self.mostShown { self.folded[kind, default: []].append(line) }
        return count < Self.mostShown
    }

    /// Summaries of the lines that were not printed, the most frequent kinds first.
    var summaries: [Message] {
        self.folded.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.compactMap { _, lines in
            guard var kind = lines.first?.kind else { return nil }
            kind.source = Message.runMorePhotos(lines.count).text()
            let names = lines.prefix(Self.mostNamed).map(\.name).joined(separator: ", ")
            let more = lines.count - Self.mostNamed
            return more > 0 ? .runFolded(kind.line, names, more: more) : .runFoldedAll(kind.line, names)
        }
    }
}
