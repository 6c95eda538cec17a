import CardEngine
import CardInput
import CardModel
import CardServer
import CardStore
import Foundation

/// One `serve`, from the configuration to the exit status.
struct ServeSession: Sendable {
    let configuration: Configuration
    let isQuiet: Bool

    /// Serves until a signal, and returns the exit status.
    func run() async throws -> CommandStatus {
        let ends = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let reloads = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let signals = SignalWatch(end: { ends.continuation.yield() }, reload: { reloads.continuation.yield() })
        // Nothing is read before signals are heard: what is written before a SIGHUP is known after it.
        return try await signals.watching {
            try await self.serve(until: ends.stream, reloads: reloads.stream)
        }.signal ?? .delivered
    }

    private func serve(until ends: AsyncStream<Void>, reloads: AsyncStream<Void>) async throws {
        try SandboxOwner.become(of: self.configuration.sandboxPath)
        let (server, mistakes) = self.configuration.serving
        guard mistakes.isEmpty else { throw ConfigurationError(mistakes: mistakes) }
        let folders: WatchOptions? =
            if self.configuration.watch.folders.isEmpty { nil } else {
                try self.configuration.watchOptions(folders: [], fields: SubmittedFields())
            }
        if server.tokens.isEmpty, server.webhookSecrets.isEmpty {
            Console.standardError(
                """
                warning: nobody may ask; make a token (idcard-pipeline tokens add NAME --scope submit), or set \
                webhooks.secrets
                """
            )
        }
        try await self.configuration.withSandbox { store in
            let metrics = ServerMetrics()
            let pipeline = Pipeline(configuration: self.configuration, store: store, counting: metrics.counting)
            try await self.serve(server, folders, over: pipeline, metrics, until: ends, reloads: reloads)
        }
    }

    private func serve(
        _ server: CardServer.Configuration,
        _ folders: WatchOptions?,
        over pipeline: Pipeline,
        _ metrics: ServerMetrics,
        until ends: AsyncStream<Void>,
        reloads: AsyncStream<Void>
    ) async throws {
        let worker = UUID().uuidString.lowercased()
        let notices = ServiceNotices()
        let observe: @Sendable (PipelineEvent) -> Void = { event in
            metrics.count(event)
            notices.observe(event)
        }
        try await pipeline.with("serve", id: worker, events: observe) { engine in
            let runs = SourceRuns(self.configuration, store: pipeline.store, engine: engine, worker: worker)
            let (notice, logger) = (SystemdNotice(), self.configuration.logger(runID: worker))
            let services = ServeServices(
                server: try CardServer(
                    configuration: server,
                    ports: CardServer.Ports(engine: engine, runs: runs, pipeline: pipeline),
                    metrics: metrics,
                    logger: logger,
                    onRunning: { port in
                        notice.say("READY=1")
                        self.sayListening(server, port)
                    }
                ),
                watch: folders.map { options in
                    let intake = WatchIntake(engine: engine, store: pipeline.store, configuration: self.configuration)
                    return FolderWatch(options: options, time: .system, take: intake.take, report: notices.observe)
                },
                runs: runs,
                engine: engine,
                pipeline: pipeline,
                notice: notice,
                logger: logger
            )
            try await engine.run { try await services.run(server, until: ends, reloads: reloads) }
        }
    }

    private func sayListening(_ server: CardServer.Configuration, _ port: Int) {
        guard !self.isQuiet else { return }
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        Console.standardError("listening on http\(server.tls == nil ? "" : "s")://\(host):\(port); end with Ctrl-C")
    }
}
