import ArgumentParser
import CardEngine
import CardInput
import CardModel
import CardRemote
import CardServer
import CardStore
import Foundation
import Logging
import ServiceLifecycle

struct ServeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the HTTP API: uploads, webhooks, runs on demand; also watch folders.",
        discussion: """
            Listens on server.listen (default 127.0.0.1:8080). Every request needs a token (tokens add) or a webhook \
            signature. Other machines can connect only over TLS (server.tls.certificate, server.tls.key). It also watches the \
            folders of watch.folders, as watch does.

            GET /openapi.json describes the API. A change of the tokens counts from the next request on. SIGHUP rereads all \
            certificates and the webhook secrets. SIGTERM and SIGINT shut it down: it accepts nothing more, and calls in progress \
            may take up to run.shutdown_timeout.

            Exit status: 64 usage · 66 a watched folder cannot be read · 74 sandbox or disk error · 78 configuration, or the \
            port is in use · 130/143 ended by a signal, nothing is lost.
            """
    )

    @Option(help: ArgumentHelp("Address and port to listen on (server.listen).", valueName: "host:port"))
    var listen: String?

    @Flag(name: [.long, .short], help: "Show only the log and warnings on standard error.")
    var quiet = false

    @OptionGroup var options: PipelineOptions

    func execute() async throws -> CommandStatus {
        let settings = self.listen.map { ["server.listen": $0] } ?? [:]
        let configuration = try self.options.loadConfiguration(requiringRemotes: true, settings, isService: true)
        return try await ServeSession(configuration: configuration, isQuiet: self.quiet).run()
    }
}

/// One run of `serve`, from the configuration to the exit status.
struct ServeSession: Sendable {
    let configuration: Configuration
    let isQuiet: Bool
    let notice = SystemdNotice()
    /// Yields when a signal asks to stop.
    let ends = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// Yields at each SIGHUP.
    let reloads = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Serves until a signal, and returns the exit status.
    func run() async throws -> CommandStatus {
        let signals = SignalWatch(
            stop: {
                self.notice.sayStopping()
                self.ends.continuation.yield()
            },
            reload: { self.reloads.continuation.yield() }
        )
        // Signals are trapped before files are read: a SIGHUP during the reading is not lost, and has the files read again.
        return try await signals.watching { try await self.serve() }.signal ?? .delivered
    }

    private func serve() async throws {
        let (settings, mistakes) = await self.configuration.serving()
        guard mistakes.isEmpty else { throw ConfigurationError(mistakes: mistakes) }
        let watches = !self.configuration.watch.folders.isEmpty
        let folders = watches ? try self.configuration.watchOptions(waiting: true) : nil
        if try settings.tokens().isEmpty, settings.webhookSecrets.isEmpty {
            Console.warn(.serveNoClient(settings.tokenCommand))
        }
        try await self.configuration.withSandbox { store in
            try folders?.claim(for: store.id)
            try await self.serve(settings, folders, over: Pipeline(configuration: self.configuration, store: store))
        }
    }

    private func serve(_ settings: CardServer.Configuration, _ folders: WatchOptions?, over pipeline: Pipeline)
        async throws
    {
        let worker = UUID().uuidString.lowercased()
        let metrics = ServerMetrics(version: Build.version, commit: Build.commit, schema: Sandbox.schema)
        let notices = ServiceNotices(isQuiet: self.isQuiet)
        let observe = self.observe(notices, metrics)
        try await pipeline.with("serve", id: worker, events: observe) { engine in
            let runs = SourceRuns(pipeline, engine: engine, worker: worker, notices: notices, metrics: metrics)
            let logger = self.configuration.logger(runID: worker)
            let tokens = LiveTokens(self.configuration, apartFrom: settings.webhookSecrets, logger: logger) {
                engine.setTokens($0)
            }
            var settings = settings
            if let tokens { settings.tokens = tokens.current }
            let fetch = self.configuration.fetch
            var dependencies = CardServer.Ports(engine: engine, store: pipeline.store) { fetch.addressCheck()($0) }
            (dependencies.startRun, dependencies.run, dependencies.runs) = (runs.start, runs.run, runs.all)
            let services = ServeServices(
                session: self,
                tokens: tokens,
                server: try CardServer(
                    configuration: settings,
                    ports: dependencies,
                    metrics: metrics,
                    logger: logger,
                    onRunning: { [settings] in self.sayListening(as: settings, at: $0) }
                ),
                watch: folders.map { self.watch($0, of: pipeline, engine, notices, metrics) },
                runs: runs,
                reloadRemotes: { engine.reload() },
                endPipeline: { pipeline.stop(engine) },
                logger: logger
            )
            // A signal may have come while the sandbox was being opened.
            guard !self.notice.isStopping else { return pipeline.stop(engine) }
            try await engine.run { try await services.run() }
        }
    }

    private func observe(_ notices: ServiceNotices, _ metrics: ServerMetrics) -> @Sendable (PipelineEvent) -> Void {
        { event in
            notices.observe(event)
            if case .beat = event { self.notice.giveSignOfLife() }
            // An input that is tried again is counted by its last result.
            if case .refused(_, let error) = event, error.isRetried { return }
            metrics.count(event)
        }
    }

    private func watch(
        _ options: WatchOptions,
        of pipeline: Pipeline,
        _ engine: Engine,
        _ notices: ServiceNotices,
        _ metrics: ServerMetrics
    ) -> NotingWatch {
        NotingWatch(options, of: pipeline, engine) { event in
            notices.observe(event)
            if case .refused(_, _, card: nil) = event { metrics.count(.refused) }
            if case .leftInPlace = event { metrics.count(.ignored) }
        }
    }

    private func sayListening(as settings: CardServer.Configuration, at port: Int) {
        self.notice.sayReady()
        guard !self.isQuiet, !self.notice.isStopping else { return }
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        let scheme = settings.tls == nil ? "http" : "https"
        Console.say(.serveListening("\(scheme)://\(host):\(port)"))
    }
}

/// The services of `serve` beside the stages of the engine, and the order in which they stop.
private struct ServeServices: Sendable {
    let session: ServeSession
    /// The tokens; `nil` if their file has no path.
    let tokens: LiveTokens?
    let server: CardServer
    /// The watched folders, if the configuration names any.
    let watch: NotingWatch?
    let runs: SourceRuns
    let reloadRemotes: @Sendable () -> [CodedError]
    let endPipeline: @Sendable () -> Void
    let logger: Logger

    /// Runs all services until they are asked to stop, and all admitted photos are durable.
    func run() async throws {
        var logger = self.logger
        // The messages of a service group are of no use to the user of one command.
        logger.logLevel = .critical
        let serving = ServiceGroup(services: [self.server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { companions in
            companions.addTask {
                for await _ in self.session.reloads.stream { self.session.notice.reloading(self.reload) }
            }
            companions.addTask {
                for await _ in self.session.ends.stream { await self.stop(serving) }
            }
            try await withThrowingTaskGroup(of: Void.self) { work in
                work.addTask { try await serving.run() }
                if let watch { work.addTask { try await watch.run() } }
                work.addTask { try await self.runs.work() }
                // An error of one service stops the others.
                for try await _ in work {}
            }
            companions.cancelAll()
        }
    }

    /// Accepts no more connections and begins nothing new; requests and calls under way finish.
    private func stop(_ serving: ServiceGroup) async {
        await serving.triggerGracefulShutdown()
        await self.watch?.watch.stop()
        self.runs.stop()
        self.endPipeline()
    }

    /// Reads again, at SIGHUP, the files that may be replaced; the old content of an unreadable one stays valid.
    private func reload() {
        var isWhole = true
        func attempt(_ warning: (Message) -> Message, _ body: () throws(CodedError) -> Void) {
            do throws(CodedError) { try body() } catch {
                isWhole = false
                Console.warn(warning(error.message))
            }
        }
        attempt(Message.serveSecretsStay) { () throws(CodedError) in
            let secrets = try self.session.configuration.webhookSecrets()
            // A token whose name now belongs to a webhook sender is refused.
            self.tokens?.keepApart(from: secrets)
            self.server.setWebhookSecrets(secrets)
        }
        attempt(Message.serveCertificateStays) { () throws(CodedError) in try self.server.reloadCertificate() }
        for error in self.reloadRemotes() {
            attempt(Message.serveCertificateStays) { () throws(CodedError) in throw error }
        }
        if isWhole { self.logger.notice("webhook secrets and certificates read again") }
    }
}
