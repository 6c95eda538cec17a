import CardEngine
import CardInput
import CardModel
import CardStore
import Foundation

/// One `watch`, from the arguments to the exit status.
struct WatchSession: Sendable {
    /// What the command line asks for.
    struct Arguments: Sendable {
        var folders: [String]
        var fields: SubmittedFields
        var documents: String?
        var format: LineFormat
        var isQuiet: Bool
    }

    let arguments: Arguments
    let configuration: Configuration

    /// Watches until a signal, and returns the exit status.
    func run() async throws -> CommandStatus {
        // Before any folder is looked at: root may read what the owner of the sandbox may not.
        try SandboxOwner.become(of: self.configuration.sandboxPath)
        let options = try self.configuration.watchOptions(
            folders: self.arguments.folders,
            fields: self.arguments.fields
        )
        let store = try await self.configuration.openStore(creating: true)
        let result: Result<CommandStatus, any Error>
        do { result = .success(try await self.watch(options, store: store)) } catch { result = .failure(error) }
        store.closeInOrder()
        return try result.get()
    }

    private func watch(_ options: WatchOptions, store: CardStore) async throws -> CommandStatus {
        let (reports, notices) = (WatchReports(store: store, format: self.arguments.format), ServiceNotices())
        let pipeline = Pipeline(
            configuration: self.configuration,
            store: store,
            documents: self.arguments.documents ?? self.configuration.embeddedDocuments
        )
        let observe: @Sendable (PipelineEvent) -> Void = { event in
            reports.observe(event)
            notices.observe(event)
        }
        let signal = try await withThrowingTaskGroup(of: CommandStatus??.self) { group in
            group.addTask {
                defer { reports.finish() }
                return try await pipeline.with("watch", id: UUID().uuidString.lowercased(), events: observe) { engine in
                    try await self.watch(options, engine, store: store) { event in
                        reports.observe(event)
                        notices.observe(event)
                    }
                }
            }
            group.addTask {
                try await reports.print()
                return nil
            }
            var signal: CommandStatus?
            while let ended = try await group.next() { signal = (ended ?? nil) ?? signal }
            return signal
        }
        if reports.counts.total > 0 { Console.standardError(reports.counts.line) }
        return signal ?? .delivered
    }

    /// Lets watch and engine work until a signal, and returns its status.
    private func watch(
        _ options: WatchOptions,
        _ engine: Engine,
        store: CardStore,
        report: @escaping @Sendable (WatchEvent) -> Void
    ) async throws -> CommandStatus? {
        let intake = WatchIntake(engine: engine, store: store, configuration: self.configuration)
        let watch = FolderWatch(options: options, time: .system, take: intake.take, report: report)
        if !self.arguments.isQuiet {
            let count = options.folders.count
            Console.standardError("watching \(count) \(count == 1 ? "folder" : "folders"); end with Ctrl-C")
        }
        let timeout = self.configuration.engine.shutdownTimeout
        let end: @Sendable () -> Void = {
            let calls = engine.callsUnderWay
            engine.end()
            Task { await watch.end() }
            Pipeline.sayEnding(calls: calls, timeout: timeout)
        }
        return try await SignalWatch(end: end).watching {
            try await engine.run { try await watch.run() }
        }.signal
    }
}

extension Configuration {
    /// The folders to watch, and how; those of the command line take the place of the configured ones.
    ///
    /// - Throws: `CodedError` for the first folder that cannot be watched.
    func watchOptions(folders: [String], fields: SubmittedFields) throws -> WatchOptions {
        var options = self.watch
        if !folders.isEmpty { options.folders = folders }
        options.inputs.fields = fields
        options.inputs.businessNumberRule = try BusinessNumberRule(self.businessNumberFrom)
        options.inputs.sandbox = self.sandboxPath
        if let problem = options.problems().first { throw problem }
        return options
    }

    /// Where the built-in backend keeps what it accepts, unless the command line says otherwise.
    var embeddedDocuments: String { self.sandboxPath + "/embedded-documents" }
}

extension CardStore {
    /// Closes the sandbox. Everything is durable before: that it did not close well is worth a line, not the result.
    func closeInOrder() {
        do { try self.close() } catch {
            Console.standardError("warning: the sandbox did not close in order; check it: idcard-pipeline fsck")
        }
    }
}
