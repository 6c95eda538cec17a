import Foundation
import IDCardCore
import IDCardPipeline
import IDCardSandbox
import IDCardTriggers
import Logging
import ServiceLifecycle

/// One `watch`, from the arguments to the exit status.
struct WatchSession: Sendable {
    /// What the command line asks for.
    struct Arguments: Sendable {
        var folders: [String]
        var userNumber: String?
        var documents: String?
        var format: OutputFormat
        var isQuiet: Bool
    }

    let arguments: Arguments
    let options: GlobalOptions

    /// Watches until a signal, and returns the exit status; every error ends here in words and a status.
    func run() async -> CommandStatus {
        do {
            let configuration = try self.options.loadConfiguration(requiringRemotes: true)
            for notice in configuration.notices where notice.level == .warning && notice.key != "vault.mode" {
                Console.standardError("warning: \(notice.message)")
            }
            return try await self.run(configuration)
        } catch {
            return CommandFailure(error).report()
        }
    }

    private func run(_ configuration: AppConfiguration) async throws -> CommandStatus {
        let store = try await SandboxOpening(configuration: configuration)
            .open(endpoints: configuration.embedded ? .embedded : .external)
        let ending: Result<CommandStatus, any Error>
        do {
            ending = .success(try await self.watch(store: store, configuration: configuration))
        } catch {
            ending = .failure(error)
        }
        do {
            try await store.close()
        } catch {
            // Everything is durable before; that it did not close well is worth a line, not the result.
            Console.standardError(RunSession.closingWarning(error))
        }
        let status = try ending.get()
        return Console.finish() ?? status
    }

    private func watch(store: SandboxStore, configuration: AppConfiguration) async throws -> CommandStatus {
        let isText = self.arguments.format == .text
        let reports = WatchReports(startedAt: Timestamp(Date())) { report in
            Console.standardOutput(isText ? RunSummary.line(report) : JSONText.line(report))
        }
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let runID = UUIDText.version7(at: Timestamp(Date()), using: &random)
        let host = EngineHost(
            store: store,
            configuration: configuration,
            documents: self.arguments.documents ?? configuration.sandboxPath + "/embedded-documents",
            logger: Logger(configuration.log, runID: runID),
            observer: { event in
                reports.observe(event)
                if let words = WatchWords(event) { Console.standardError(words.line) }
            },
            isService: true
        )
        let shutdown = Shutdown()
        let signal = try await host.with { engine in
            let folders = try self.folderWatch(of: engine, host: host, reports: reports)
            return try await self.serve(engine, folders, until: shutdown, logger: host.logger)
        }
        let counts = reports.counts
        if counts.total > 0 { Console.standardError(counts.line) }
        return signal?.exitStatus ?? .delivered
    }

    private func folderWatch(of engine: Engine, host: EngineHost, reports: WatchReports) throws -> FolderWatch {
        let watch = try FolderWatch(
            host.configuration,
            folders: self.arguments.folders,
            userNumber: self.arguments.userNumber,
            intake: engine,
            logger: host.logger,
            observer: { event in
                reports.observe(event)
                if let words = WatchWords(event) { Console.standardError(words.line) }
            }
        )
        if !self.arguments.isQuiet {
            let count =
                self.arguments.folders.isEmpty ? host.configuration.watch.folders.count : self.arguments.folders.count
            Console.standardError("watching \(CountedNoun.words(count, "folder")); end with Ctrl-C")
        }
        return watch
    }

    /// Lets engine and watch work until a signal, and returns that.
    private func serve(
        _ engine: Engine,
        _ folders: FolderWatch,
        until shutdown: Shutdown,
        logger: Logger
    ) async throws -> EndingSignal? {
        // What the group says of its services is of no use to whoever runs one command.
        var groupLogger = logger
        groupLogger.logLevel = max(logger.logLevel, .error)
        // Ended in the reverse order: what is taken in, and put away, ends before the engine.
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: EngineService(engine: engine, shutdown: shutdown)), .init(service: folders),
                ],
                logger: groupLogger
            )
        )
        // The engine is asked first, so that nothing waits for room any more.
        let signals = SignalWatch(shutdown: shutdown, onSignal: { await group.triggerGracefulShutdown() })
        return try await signals.watching { try await group.run() }.signal
    }
}
