import ArgumentParser
import CardEngine
import CardInput
import CardModel
import CardStore
import Foundation

/// `watch`: takes in the photos that arrive in folders, until a signal.
struct WatchCommand: Command {
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

    @Option(help: ArgumentHelp("The user account of images without one of their own.", valueName: "no"))
    var userNo: String?

    @Option(help: "The form of the lines on standard output.")
    var format = LineFormat.text

    @Flag(name: [.long, .short], help: "No words on standard error but warnings.")
    var quiet = false

    @OptionGroup var options: PipelineOptions

    func validate() throws {
        _ = try SubmittedFields.options(userNo: self.userNo)
    }

    func execute() async throws -> CommandStatus {
        let configuration = try self.options.loadConfiguration(requiringRemotes: true)
        // Before any folder is looked at: root may read what the owner of the sandbox may not.
        try SandboxOwner.become(of: configuration.sandboxPath)
        let fields = try SubmittedFields.options(userNo: self.userNo)
        let options = try configuration.watchOptions(folders: self.folders, fields: fields)
        return try await configuration.withSandbox { try await self.watch(options, configuration, store: $0) }
    }

    private func watch(
        _ options: WatchOptions,
        _ configuration: Configuration,
        store: CardStore
    ) async throws -> CommandStatus {
        let (reports, notices) = (WatchReports(store: store, format: self.format), ServiceNotices())
        let pipeline = Pipeline(configuration: configuration, store: store)
        let isQuiet = self.quiet
        let observe: @Sendable (PipelineEvent) -> Void = { event in
            reports.observe(event)
            notices.observe(event)
        }
        let signal = try await running {
            defer { reports.finish() }
            return try await pipeline.with("watch", id: UUID().uuidString.lowercased(), events: observe) { engine in
                let intake = WatchIntake(engine: engine, store: store, configuration: configuration)
                let watch = FolderWatch(options: options, time: .system, take: intake.take) { event in
                    reports.observe(event)
                    notices.observe(event)
                }
                if !isQuiet {
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
