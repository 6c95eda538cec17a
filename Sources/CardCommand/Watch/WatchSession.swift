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
        return try await self.configuration.withSandbox { try await self.watch(options, store: $0) }
    }

    private func watch(_ options: WatchOptions, store: CardStore) async throws -> CommandStatus {
        let (reports, notices) = (WatchReports(store: store, format: self.arguments.format), ServiceNotices())
        let pipeline = Pipeline(configuration: self.configuration, store: store)
        let observe: @Sendable (PipelineEvent) -> Void = { event in
            reports.observe(event)
            notices.observe(event)
        }
        let signal = try await running {
            defer { reports.finish() }
            return try await pipeline.with("watch", id: UUID().uuidString.lowercased(), events: observe) { engine in
                try await self.watch(options, engine, pipeline) { event in
                    reports.observe(event)
                    notices.observe(event)
                }
            }
        } beside: {
            try await reports.print()
        }
        if reports.counts.total > 0 { Console.standardError(reports.counts.line) }
        return signal ?? .delivered
    }

    /// Lets watch and engine work until a signal, and returns its status.
    private func watch(
        _ options: WatchOptions,
        _ engine: Engine,
        _ pipeline: Pipeline,
        report: @escaping @Sendable (WatchEvent) -> Void
    ) async throws -> CommandStatus? {
        let intake = WatchIntake(engine: engine, store: pipeline.store, configuration: self.configuration)
        let watch = FolderWatch(options: options, time: .system, take: intake.take, report: report)
        if !self.arguments.isQuiet {
            let count = options.folders.count
            Console.standardError("watching \(count) \(count == 1 ? "folder" : "folders"); end with Ctrl-C")
        }
        let end: @Sendable () -> Void = {
            pipeline.end(engine)
            Task { await watch.end() }
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
        options.inputs = try self.inputs(fields)
        if let problem = options.problems().first { throw problem }
        return options
    }

    /// Where the built-in backend keeps what it accepts.
    var embeddedDocuments: String { self.documents ?? self.sandboxPath + "/embedded-documents" }
}
