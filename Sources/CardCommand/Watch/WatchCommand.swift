import ArgumentParser
import CardEngine
import CardInput
import CardModel
import CardStore
import Foundation

/// `watch`: takes in the photos that arrive in folders, until a signal.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch folders for photos of identity cards, verify them and deliver them to the business backend.",
        discussion: """
            Every image that arrives in the folders, or below them, becomes a card as with run, once it is complete: closed or \
            moved in, or standing still for watch.quiet_time. Its file is moved to done (or deleted, or left: watch.after) only \
            after the card is durable; what is refused goes to failed, with a note NAME.failed.json that says why. Whatever \
            kills the process, the same command goes on where it stopped.

            Each image needs a business number: from its sidecar IMAGE.json, or the name of the folder it lies in, directly \
            below the watched one. intake.business_no_from says otherwise.

            Standard output has one line for each file whose card has ended. Exit status: 64 usage · 66 a folder cannot be read \
            · 74 sandbox or disk error · 78 configuration · 130/143 ended by a signal, all durable.
            """
    )

    @Argument(help: ArgumentHelp("Folders to watch; without any, those of watch.folders.", valueName: "dir"))
    var folders: [String] = []

    @Option(name: .long, help: ArgumentHelp("The user account of images without one of their own.", valueName: "no"))
    var userNo: String?

    @Option(name: .long, help: "The form of the lines on standard output.")
    var format = LineFormat.text

    @Flag(name: [.long, .short], help: "No words on standard error but warnings.")
    var quiet = false

    @OptionGroup var options: PipelineOptions

    func validate() throws {
        _ = try SubmittedFields.options(userNo: self.userNo)
    }

    func run() async throws {
        try await CommandRunner.run {
            try await WatchSession(
                folders: self.folders,
                fields: try SubmittedFields.options(userNo: self.userNo),
                format: self.format,
                isQuiet: self.quiet,
                configuration: try self.options.loadConfiguration(requiringRemotes: true)
            ).run()
        }
    }
}

/// One `watch`, from the arguments to the exit status.
struct WatchSession: Sendable {
    let folders: [String]
    let fields: SubmittedFields
    let format: LineFormat
    let isQuiet: Bool
    let configuration: Configuration

    /// Watches until a signal, and returns the exit status.
    func run() async throws -> CommandStatus {
        // Before any folder is looked at: root may read what the owner of the sandbox may not.
        try SandboxOwner.become(of: self.configuration.sandboxPath)
        let options = try self.configuration.watchOptions(folders: self.folders, fields: self.fields)
        return try await self.configuration.withSandbox { try await self.watch(options, store: $0) }
    }

    private func watch(_ options: WatchOptions, store: CardStore) async throws -> CommandStatus {
        let (reports, notices) = (WatchReports(store: store, format: self.format), ServiceNotices())
        let pipeline = Pipeline(configuration: self.configuration, store: store)
        let observe: @Sendable (PipelineEvent) -> Void = { event in
            reports.observe(event)
            notices.observe(event)
        }
        let signal = try await running {
            defer { reports.finish() }
            return try await pipeline.with("watch", id: UUID().uuidString.lowercased(), events: observe) { engine in
                let intake = WatchIntake(engine: engine, store: store, configuration: self.configuration)
                let watch = FolderWatch(options: options, time: .system, take: intake.take) { event in
                    reports.observe(event)
                    notices.observe(event)
                }
                if !self.isQuiet {
                    let count = options.folders.count
                    Console.standardError("watching \(count) \(count == 1 ? "folder" : "folders"); end with Ctrl-C")
                }
                let signals = SignalWatch {
                    pipeline.end(engine)
                    Task { await watch.end() }
                }
                return try await signals.watching { try await engine.run { try await watch.run() } }.signal
            }
        } beside: {
            try await reports.print()
        }
        if reports.counts.total > 0 { Console.standardError(reports.counts.line) }
        return signal ?? .delivered
    }
}
