import Foundation
import IDCardCore
import IDCardImaging
import IDCardPipeline
import IDCardSandbox
import IDCardServer
import IDCardTriggers
import Logging
import ServiceLifecycle

/// The services of one `serve`, and the order in which they begin and end.
struct ServeParts: Sendable {
    private let engine: Engine
    private let host: EngineHost
    private let server: CardServer
    private let runner: SourceRunner
    /// The watched folders, if the configuration names any.
    private let folders: FolderWatch?
    private let reloading: ReloadService
    private let notice: SystemdNotice

    init(
        engine: Engine,
        host: EngineHost,
        server: CardServer.Configuration,
        tokens: TokenRegister,
        metrics: PrometheusMetrics,
        isQuiet: Bool
    ) throws {
        let configuration = host.configuration
        let notice = SystemdNotice()
        let runner = try Self.runner(over: engine, host: host)
        let scheme = server.tls == nil ? "http" : "https"
        let address = server.host.contains(":") ? "[\(server.host)]" : server.host
        let cardServer = try CardServer(
            configuration: server,
            ports: CardServer.Ports(
                intake: engine,
                cards: host.store,
                runs: runner,
                findings: { [store = host.store] in
                    var readiness = try await store.readiness()
                    // Told of as a reason of its own.
                    readiness.space = .ample
                    return readiness.findings
                },
                workChanged: { engine.lookForWork() }
            ),
            tokens: tokens,
            metrics: metrics,
            logger: host.logger,
            onRunning: { port in
                notice.say("READY=1")
                if !isQuiet {
                    Console.standardError("listening on \(scheme)://\(address):\(port); end with Ctrl-C")
                }
            }
        )
        self.engine = engine
        self.host = host
        self.runner = runner
        self.folders = configuration.watch.folders.isEmpty ? nil : try Self.watch(of: engine, host: host)
        self.server = cardServer
        self.notice = notice
        self.reloading = ReloadService(logger: host.logger, notice: notice) { [store = host.store] in
            let secrets = Result { try CardServer.Configuration.secrets(configuration.webhooks) }
            try cardServer.reload(webhookSecrets: try? secrets.get())
            _ = try secrets.get()
            try await store.rereadKeys()
        }
    }

    /// Lets all of them work until a signal, and returns that.
    func run(until shutdown: Shutdown) async throws -> EndingSignal? {
        // What the group says of its services is of no use to whoever runs one command.
        var groupLogger = self.host.logger
        groupLogger.logLevel = max(groupLogger.logLevel, .error)
        // Ended in the reverse order: what is taken in ends before the engine.
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: EngineService(
                            engine: self.engine,
                            shutdown: shutdown,
                            hasKey: { [store = self.host.store] in try await store.hasCurrentKey() }
                        ),
                        successTerminationBehavior: .ignore
                    ),
                    .init(service: WatchdogService(notice: self.notice), successTerminationBehavior: .ignore),
                    .init(service: self.reloading, successTerminationBehavior: .ignore),
                    .init(service: self.runner, successTerminationBehavior: .ignore),
                ] + (self.folders.map { [.init(service: $0)] } ?? []) + [
                    .init(service: self.server, successTerminationBehavior: .gracefullyShutdownGroup)
                ],
                logger: groupLogger
            )
        )
        // The engine is asked first, so that nothing waits for room any more.
        let notice = self.notice
        let signals = SignalWatch(
            shutdown: shutdown,
            onSignal: {
                notice.say("STOPPING=1")
                await group.triggerGracefulShutdown()
            }
        )
        return try await signals.watching { try await group.run() }.signal
    }

    private static func runner(over engine: Engine, host: EngineHost) throws(ConfigurationError) -> SourceRunner {
        let configuration = host.configuration
        let inputs = BatchOptions(
            businessNumberRule: configuration.businessNumberRule,
            recognisesImage: { bytes, _ in ImageFormat.sniff(bytes) != .unknown },
            isImageName: { ImageFormat.isImageExtension(($0 as NSString).pathExtension) },
            skippedFolders: configuration.watch.putAwayFolders,
            sandbox: configuration.sandboxPath
        )
        return SourceRunner(
            sources: try self.sources(configuration),
            listing: SourceRunner.Listing(
                inputs: inputs,
                manifestNames: configuration.watch.manifests,
                refusing: { RunSession.requiringUserNumber($0, configuration: configuration) }
            ),
            intake: SourceIntake(
                intake: engine,
                concurrency: configuration.imaging.concurrency,
                patience: SourceIntake.Patience(configuration.watch.settings(inputs)),
                time: .system,
                logger: host.logger
            ),
            store: host.store
        )
    }

    private static func watch(of engine: Engine, host: EngineHost) throws(WatchError) -> FolderWatch {
        try FolderWatch(
            host.configuration,
            intake: engine,
            logger: host.logger,
            observer: { event in
                if let words = WatchWords(event) { Console.standardError(words.line) }
            }
        )
    }

    /// The folders for runs on demand, by their names.
    private static func sources(_ configuration: AppConfiguration) throws(ConfigurationError) -> [String: String] {
        var sources: [String: String] = [:]
        for text in configuration.sources {
            let fields = text.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            let isName = fields.first.map { name in
                !name.isEmpty && name.utf8.count <= 64
                    && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
            }
            guard fields.count == 2, isName == true, fields[1].hasPrefix("/"), sources[fields[0]] == nil else {
                throw ConfigurationError([
                    .init(
                        .malformedValue,
                        key: "sources",
                        "sources: each is NAME=PATH, a name of letters, digits, ._- that stands once, and an absolute path"
                    )
                ])
            }
            sources[fields[0]] = fields[1]
        }
        return sources
    }
}
