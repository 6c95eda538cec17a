import ArgumentParser
import CardEngine
import CardInput
import CardModel
import CardStore
import Foundation
import Synchronization

struct WatchCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch folders for photos of identity cards, verify them and deliver them to the business backend.",
        discussion: """
            Every image that arrives in the folders, at any depth, becomes a card as with run, once it is complete: closed or \
            moved in, or unchanged for watch.quiet_time. Its file is moved to done (or deleted, or left: watch.after) only after \
            the card is stored. A refused file is moved to failed, with a note NAME.failed.json that says why. If the process is \
            killed, the same command continues where it stopped.

            Each image needs a business number: from its sidecar IMAGE.json, or from the name of its folder, if that lies directly \
            below the watched one. intake.business_no_from sets another rule.

            Standard output has one line for each file whose card has ended. Exit status: 64 usage · 66 a folder cannot be read \
            · 74 sandbox or disk error · 78 configuration, or another sandbox watches a folder · 130/143 ended by a signal, \
            nothing is lost.
            """
    )

    @Argument(help: ArgumentHelp("Folders to watch. Default: watch.folders.", valueName: "dir"), transform: path)
    var folders: [String] = []

    @Option(help: ArgumentHelp("The user account of images without their own.", valueName: "no"))
    var userNo: String?

    @Option(help: "The format of the lines on standard output.")
    var format = LineFormat.text

    @Flag(name: [.long, .short], help: "Show only warnings on standard error.")
    var quiet = false

    @OptionGroup var options: PipelineOptions

    func validate() throws { _ = try SubmittedFields.options(userNo: self.userNo) }

    func execute() async throws -> CommandStatus {
        let configuration = try self.options.loadConfiguration(requiringRemotes: true, isService: true)
        let fields = try SubmittedFields.options(userNo: self.userNo)
        let options = try configuration.watchOptions(folders: self.folders, fields: fields)
        return try await configuration.withSandbox { store in
            try options.claim(for: store.id)
            return try await self.watch(options, configuration, store: store)
        }
    }

    private func watch(
        _ options: WatchOptions,
        _ configuration: Configuration,
        store: Sandbox
    ) async throws -> CommandStatus {
        let (reports, notices) = (WatchReports(store: store, format: self.format), ServiceNotices(isQuiet: self.quiet))
        let pipeline = Pipeline(configuration: configuration, store: store)
        let isQuiet = self.quiet
        let observe: @Sendable (PipelineEvent) -> Void = { event in
            reports.observe(event)
            notices.observe(event)
        }
        let signal = try await running {
            defer { reports.finish() }
            return try await pipeline.with("watch", id: UUID().uuidString.lowercased(), events: observe) { engine in
                let watch = NotingWatch(options, of: pipeline, engine) { event in
                    reports.observe(event)
                    notices.observe(event)
                }
                if !isQuiet { Console.say(.watchBegins(options.folders.count)) }
                let signals = SignalWatch {
                    pipeline.stop(engine)
                    Task { await watch.watch.stop() }
                }
                return try await signals.watching { try await engine.run { try await watch.run() } }.signal
            }
        } beside: {
            try await reports.print()
        }
        if reports.counts.total > 0 { Console.say(reports.counts.line) }
        return signal ?? .delivered
    }
}

/// Follows the files of a watch: prints a line for each once its card has finished, or it was refused.
///
/// A reader that stalls (`| less`) blocks nothing: beyond a limit lines are left out, and a note gives their number.
final class WatchReports: Sendable {
    private enum Change: Sendable {
        /// With the line to print once the card has finished.
        case taken(CardID, RunLine)
        case ended(CardID)
        case refused(RunLine)
    }

    private let store: Sandbox
    private let format: LineFormat
    private let changes: AsyncStream<Change>
    private let continuation: AsyncStream<Change>.Continuation
    private let tally = Mutex(InputCounts())
    /// The number of lines left out since the last one that was read, and whether finished cards were missed.
    private let missed = Mutex((lines: 0, endings: false))

    init(store: Sandbox, format: LineFormat, waitingLimit: Int = 10_000) {
        self.store = store
        self.format = format
        (self.changes, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(waitingLimit))
    }

    var counts: InputCounts { self.tally.withLock { $0 } }

    func observe(_ event: PipelineEvent) {
        switch event {
        case .taken(let item, let outcome):
            var line = RunLine(item.name.reveal(), .card(outcome.state))
            if outcome.isDuplicate { line.duplicateOf = outcome.card }
            self.report(.taken(outcome.card, line))
        case .changed(let change) where !change.state.isRunnable: self.report(.ended(change.card))
        case .changed, .refused, .sending, .called, .failed, .paused, .resumed, .beat, .overdue, .erasingFailed: break
        }
    }

    func observe(_ event: WatchEvent) {
        var line: RunLine
        switch event {
        // The line of its card reports the same.
        case .refused(_, let error, _) where error.code == .takenEarlier: return
        case .refused(let name, let error, let card):
            line = RunLine(name.reveal(), card == nil ? .refused : .card(.rejected))
            line.cardID = card
            line.describe(error)
        case .leftInPlace(let name, _, let error):
            line = RunLine(name.reveal(), .ignored)
            line.describe(error)
        case .placed, .scanned, .leftInPlaceCount, .problem, .mended, .paused, .resumed: return
        }
        self.report(.refused(line))
    }

    private func report(_ change: Change) {
        guard case .dropped = self.continuation.yield(change) else { return }
        self.missed.withLock { missed in
            if case .ended = change { missed.endings = true } else { missed.lines += 1 }
        }
    }

    /// Ends the events; `print` returns once all lines are written.
    func finish() { self.continuation.finish() }

    func print() async throws {
        // The files of each card; a file is added before its card is read.
        var files: [CardID: [RunLine]] = [:]
        for await change in self.changes {
            switch change {
            case .refused(let line): await self.print(line)
            case .taken(let card, let line):
                files[card, default: []].append(line)
                try await self.printEnded([card], of: &files)
            case .ended(let card): try await self.printEnded([card], of: &files)
            }
            let missed = self.missed.withLock { missed in
                defer { missed = (0, false) }
                return missed
            }
            if missed.lines > 0 { Console.say(.consoleLeftOut(missed.lines)) }
            if missed.endings { try await self.printEnded(Array(files.keys), of: &files) }
        }
    }

    private func printEnded(_ cards: [CardID], of files: inout [CardID: [RunLine]]) async throws {
        for id in cards {
            guard files[id] != nil, let card = try await self.store.card(id), !card.state.isRunnable else { continue }
            for var line in files.removeValue(forKey: id) ?? [] {
                // The watch itself refuses the file of a rejected card, and reports that.
                if line.state == .card(.rejected), card.notice == .attention(.retake) { continue }
                line.describe(card)
                await self.print(line)
            }
        }
    }

    private func print(_ line: RunLine) async {
        let isOnlyDuplicate = line.duplicateOf != nil && line.notice == .nothing
        self.tally.withLock { $0.add(isOnlyDuplicate ? .duplicate : line.state) }
        await self.format.print(line)
    }
}
