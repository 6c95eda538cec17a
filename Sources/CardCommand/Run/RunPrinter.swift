import CardEngine
import CardModel
import CardRemote
import CardServer
import CardStore
import Synchronization

/// Prints the results of a run's inputs: data on standard output, advice on standard error.
final class RunPrinter: Sendable {
    private struct State {
        var follower: InputFollower
        /// The inputs whose line is printed.
        var printed: Set<Int> = []
        var folds = RunFolds()
    }

    let format: OutputFormat
    private let pipeline: Pipeline
    private var store: Sandbox { self.pipeline.store }
    private var configuration: Configuration { self.pipeline.configuration }
    private let newOnly: Bool
    private let runID: String
    private let state: Mutex<State>
    /// The inputs that have finished.
    private let (endings, ended) = AsyncStream.makeStream(of: Int.self)

    /// How many cards are read at a time.
    private static let pageSize = 256

    /// - Parameter newOnly: whether known cards that do not move are omitted.
    init(_ follower: InputFollower, _ pipeline: Pipeline, _ format: OutputFormat, newOnly: Bool, runID: String) {
        (self.pipeline, self.format, self.newOnly, self.runID) = (pipeline, format, newOnly, runID)
        self.state = Mutex(State(follower: follower))
        for (index, result) in follower.results.enumerated() where result.error != nil { self.ended.yield(index) }
    }

    @Sendable func observe(_ event: PipelineEvent) {
        for index in self.state.withLock({ $0.follower.observe(event) }) { self.ended.yield(index) }
    }

    /// Ends the events; ``printEndings()`` returns once all lines are printed.
    func finish() { self.ended.finish() }

    var progress: RunProgress { self.state.withLock(\.follower.progress) }

    /// Prints lines as their cards finish: in text only those with a change to report to a person.
    func printEndings() async throws {
        for await index in self.endings {
            let (cards, isChange) = self.state.withLock { ($0.follower.cards(of: index), $0.follower.isChange(index)) }
            // In text, unchanged cards come only with the report: an input that has not finished may still retake one.
            guard self.format != .text || isChange else { continue }
            let line = try await self.line(index, cards: self.fetch(cards))
            // Only at the end is it known whether the other side of a replaced photo is missing.
            guard self.format != .text || line.notice != .nothing && line.state != .card(.superseded),
                self.state.withLock({ $0.printed.insert(index).inserted })
            else { continue }
            if self.format != .text || self.state.withLock({ $0.folds.shows(line) }) { await self.format.print(line) }
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
        into table: TableFile? = nil
    ) async throws -> CommandStatus {
        let follower = self.state.withLock(\.follower)
        let cards = try await self.fetch(follower.knownCards)
        let order = follower.order(cards)
        var lines: [RunLine] = []
        for index in order { lines.append(try await self.line(index, cards: cards)) }
        let counts = InputCounts(lines)
        let numbers = follower.numbers(of: cards, newOnly: self.newOnly)
        let incomplete = try await self.store.listings.count(of: .incomplete, among: numbers)
        let lacksSide = incomplete > 0 && self.configuration.sides == .both
        let status = counts.exitStatus(isStopped: !stopped.isEmpty, lacksSide: lacksSide, signal: signal)
        await self.print(order, lines, counts)
        for advice in self.advice(status, stopped, counts, lines) { Console.say(advice) }
        // Report until when an endpoint asked us to pause.
        for pause in try await self.store.endpoints.pauses() where pause.failureClass == .throttled {
            Console.say(pause.text)
        }
        if incomplete > 0 {
            let message = Message.runIncomplete(incomplete)
            Console.say(self.configuration.sides == .both ? message : .consoleNote(message))
        }
        if let table {
            let origin = try SystemUser.origin(of: "run --report, rows: \(lines.count)")
            try await self.store.listings.logList(to: origin, now: .now)
            try await TableFile.write(RunLine.tableColumns, as: table.format, to: table) { add in
                for line in lines { try await add(line) }
            }
        }
        return status
    }

    /// Prints the remaining lines and the counts.
    private func print(_ order: [Int], _ lines: [RunLine], _ counts: InputCounts) async {
        let printed = self.state.withLock(\.printed)
        let rest = zip(order, lines).filter { !printed.contains($0.0) }.map(\.1)
        switch self.format {
        case .text:
            for line in rest where line.notice != .nothing && self.state.withLock({ $0.folds.shows(line) }) {
                await self.format.print(line)
            }
            for summary in self.state.withLock({ $0.folds.summaries }) {
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

    private func line(_ index: Int, cards: [CardID: Card]) async throws -> RunLine {
        var (line, card) = self.state.withLock { state in
            let card = state.follower.card(index, in: cards)
            return (RunLine(index, of: state.follower, card: card, newOnly: self.newOnly), card)
        }
        if let card, card.lacksFront { line.advice = try await self.advice(on: card) }
        if let card, card.state == .superseded { line.advice = try await self.advice(onReplaced: card) }
        return line
    }

    /// What replaced a photo, by its file; `nil` if that is none of this run.
    private func advice(onReplaced card: Card) async throws -> Message? {
        guard case .code(let newer) = card.message?.arguments.first, newer != card.id.rawValue, let side = card.anySide,
            let name = self.state.withLock({ $0.follower.name(of: CardID(rawValue: newer)) })
        else { return nil }
        let one = try await self.store.listings.oneCase(card.metadata.businessNumber, for: .process)
        let missing = one?.missing ?? []
        let message = missing.isEmpty ? Message.runSecondPhoto(name, side) : .runSideMissing(name, side, missing)
        return card.reason == .takenEarlier ? .textAll([message, .runRightPhoto(card.id)]) : message
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

    /// Makes a message for each failed stage, with the URL of its endpoint if it has one.
    private func reasons(
        _ failures: [Stage: RemoteFailure],
        _ withURL: (Stage, RemoteFailure, _ url: String) -> Message,
        _ withoutURL: (Stage, RemoteFailure) -> Message
    ) -> [Message] {
        let (verifier, backend) = (self.configuration.verification?.endpoint, self.configuration.delivery?.endpoint)
        let urls = [Stage.verify: verifier?.url, .deliver: backend?.url]
        return failures.sorted { $0.key.rawValue < $1.key.rawValue }.map { stage, failure in
            // A query may hold a secret.
            guard let url = urls[stage] ?? nil else { return withoutURL(stage, failure) }
            return withURL(stage, failure, String(url.prefix { $0 != "?" }))
        }
    }

    /// What to say after a run with this status.
    private func advice(
        _ status: CommandStatus,
        _ stopped: [Stage: RemoteFailure],
        _ counts: InputCounts,
        _ inputs: [RunLine]
    ) -> [Message] {
        var lines = self.reasons(stopped, Message.runStoppedAt, Message.runStopped)
        switch status {
        case .workRemains:
            lines += self.reasons(self.progress.lastFailures, Message.runDelayedAt, Message.runDelayed)
            lines.append(.runWorkRemains)
        case .endpointStopped: lines.append(.runEndpointStopped)
        case .sandboxError: lines.append(.runNoSpace)
        case .interrupted, .terminated: lines.append(Self.remainingWork(of: inputs))
        default: break
        }
        if let upkeep = self.progress.upkeep { lines.append(.consoleWarning(upkeep)) }
        if counts.total > 0, counts[.duplicate] == counts.total { lines.append(.runNothingNew) }
        let known = Set(inputs.filter { $0.notice.needsPerson && $0.duplicateOf != nil }.map(\.cardID)).count
        if known > 0 { lines.append(.runKnown(known)) }
        if self.configuration.isEmbedded { lines.append(.runDocuments(self.configuration.embeddedDocuments)) }
        return lines
    }

    /// The work that an interrupted run leaves to the next one.
    private static func remainingWork(of inputs: [RunLine]) -> Message {
        let open = Set(inputs.filter { $0.state.card?.isRunnable == true }.map(\.cardID)).count
        let untouched = inputs.count { $0.cardID == nil && $0.state == .unchanged }
        var parts: [Message] = []
        if open > 0 { parts.append(.runKept(open)) }
        if untouched > 0 { parts.append(.runUntouched(untouched)) }
        return parts.isEmpty ? .runInterruptedDone : .runInterrupted(parts)
    }
}

/// Lines of the same reason and message: the first of them are printed, and at the end the names of the others; one of each case.
struct RunFolds: Sendable {
    /// How many lines of a kind are printed, and how many names of its others.
    private static let (shownLimit, namedLimit) = (3, 20)

    private var shown: [String: Int] = [:]
    /// The cases that printed lines of a kind are about: further lines of these are printed, too.
    private var cases: [String: Set<String>] = [:]
    private var folded: [String: [RunLine]] = [:]

    /// Whether a line is one of the first of its kind, and therefore printed.
    mutating func shows(_ line: RunLine) -> Bool {
        let kind = line.kind.line.text()
        let count = self.shown[kind, default: 0]
        if let number = line.businessNo, self.cases[kind]?.contains(number) == true { return true }
        self.shown[kind] = count + 1
        if count >= Self.shownLimit {
            self.folded[kind, default: []].append(line)
        } else if let number = line.businessNo {
            self.cases[kind, default: []].insert(number)
        }
        return count < Self.shownLimit
    }

    /// Summaries of the lines that were not printed, the most frequent kinds first.
    var summaries: [Message] {
        self.folded.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.compactMap { _, lines in
            guard var kind = lines.first?.kind else { return nil }
            kind.source = Message.runMorePhotos(lines.count).text()
            var numbers: Set<String> = []
            let named = lines.filter { $0.businessNo.map { numbers.insert($0).inserted } ?? true }
            let names = named.prefix(Self.namedLimit).map(\.name).joined(separator: ", ")
            let more = named.count - Self.namedLimit
            return more > 0 ? .runFolded(kind.line, names, more: more) : .runFoldedAll(kind.line, names)
        }
    }
}
