import Foundation
import IDCardCore
import IDCardImaging
import IDCardPipeline
import IDCardSandbox
import IDCardServer
import IDCardTriggers
import Logging
import ServiceLifecycle

/// One `serve`, from the arguments to the exit status.
struct ServeSession: Sendable {
    let listen: String?
    let documents: String?
    let isQuiet: Bool
    let options: GlobalOptions

    /// Serves until a signal, and returns the exit status; every error ends here in words and a status.
    func run() async -> CommandStatus {
        do {
            let configuration = try self.configuration()
            for notice in configuration.notices where notice.level == .warning && notice.key != "vault.mode" {
                Console.standardError("warning: \(notice.message)")
            }
            return try await self.run(configuration)
        } catch {
            return CommandFailure(error).report()
        }
    }

    private func configuration() throws(ConfigurationError) -> AppConfiguration {
        var overrides = self.options.overrides
        overrides["server.listen"] = self.listen
        return try AppConfiguration.load(
            file: self.options.config,
            overrides: overrides,
            environment: ProcessInfo.processInfo.environment,
            embedded: self.options.embedded,
            requiringRemotes: true
        )
    }

    private func run(_ configuration: AppConfiguration) async throws -> CommandStatus {
        let server = try CardServer.Configuration(configuration)
        try DescriptorLimit.check(connections: server.connections.descriptors)
        let tokens = try self.tokens(configuration, server: server)
        let store = try await SandboxOpening(configuration: configuration)
            .open(endpoints: configuration.embedded ? .embedded : .external)
        let ending: Result<EndingSignal?, any Error>
        do {
            ending = .success(try await self.serve(store, server, tokens: tokens, configuration: configuration))
        } catch {
            ending = .failure(error)
        }
        do {
            try await store.close()
        } catch {
            Console.standardError(RunSession.closingWarning(error))
        }
        let signal = try ending.get()
        return Console.finish() ?? signal?.exitStatus ?? .delivered
    }

    private func tokens(
        _ configuration: AppConfiguration,
        server: CardServer.Configuration
    ) throws -> TokenRegister {
        let register =
            try configuration.server.tokensFile.map { try TokenRegister(file: TokensFile(path: $0)) }
            ?? TokenRegister([])
        if register.isEmpty, server.webhookSecrets.isEmpty {
            Console.standardError(
                "warning: nobody may ask: make a token by `idcard-pipeline tokens add NAME --scope submit`, or set webhooks.secrets"
            )
        }
        return register
    }

    private func serve(
        _ store: SandboxStore,
        _ server: CardServer.Configuration,
        tokens: TokenRegister,
        configuration: AppConfiguration
    ) async throws -> EndingSignal? {
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let runID = UUIDText.version7(at: Timestamp(Date()), using: &random)
        let documents = self.documents ?? configuration.sandboxPath + "/embedded-documents"
        let metrics = PrometheusMetrics()
        let host = EngineHost(
            store: store,
            configuration: configuration,
            documents: documents,
            logger: Logger(configuration.log, runID: runID),
            metrics: metrics,
            observer: { event in
                if let words = EngineWords(event) { Console.standardError(words.line) }
            },
            isService: true
        )
        let shutdown = Shutdown()
        return try await host.with { engine in
            let parts = try ServeParts(
                engine: engine,
                host: host,
                server: server,
                tokens: tokens,
                metrics: metrics,
                isQuiet: self.isQuiet
            )
            return try await parts.run(until: shutdown)
        }
    }
}
