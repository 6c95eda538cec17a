import CardEngine
import CardInput
import CardModel
import CardServer
import Logging
import ServiceLifecycle

/// What one `serve` does beside the stages of the engine, and the order in which it ends.
struct ServeServices: Sendable {
    let server: CardServer
    /// The watched folders, if the configuration names any.
    let watch: FolderWatch?
    let runs: SourceRuns
    let engine: Engine
    let pipeline: Pipeline
    let notice: SystemdNotice
    let logger: Logger

    /// Does everything until the end is asked for, and what was taken in is durable.
    ///
    /// - Parameter known: the tokens and secrets that the server began with.
    func run(
        _ known: CardServer.Configuration,
        until ends: AsyncStream<Void>,
        reloads: AsyncStream<Void>
    ) async throws {
        var logger = self.logger
        // What a group says of its services is of no use to whoever runs one command.
        logger.logLevel = .critical
        let serving = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [.init(service: self.server)], logger: logger)
        )
        try await withThrowingTaskGroup(of: Void.self) { companions in
            companions.addTask { await self.reload(known, at: reloads) }
            companions.addTask { await self.notice.giveSignsOfLife() }
            companions.addTask {
                for await _ in ends {
                    self.notice.say("STOPPING=1")
                    await self.end(serving)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { work in
                work.addTask { try await serving.run() }
                if let watch { work.addTask { try await watch.run() } }
                work.addTask { try await self.runs.work() }
                // An error of one ends the others.
                for try await _ in work {}
            }
            companions.cancelAll()
        }
    }

    /// No connection is taken any more, and nothing begins; requests and calls under way go on to their ends.
    private func end(_ serving: ServiceGroup) async {
        await serving.triggerGracefulShutdown()
        await self.watch?.end()
        self.runs.end()
        self.pipeline.end(self.engine)
    }

    /// Rereads at SIGHUP what may be replaced while a service works; what cannot be read stays as it was.
    private func reload(_ known: CardServer.Configuration, at reloads: AsyncStream<Void>) async {
        var (tokens, secrets) = (known.tokens, known.webhookSecrets)
        for await _ in reloads {
            self.notice.sayReloading()
            var isWhole = true
            func attempt(_ what: String, _ body: () throws(CodedError) -> Void) {
                do throws(CodedError) { try body() } catch {
                    isWhole = false
                    Console.standardError("warning: \(what) as before: \(error.message.text())")
                }
            }
            attempt("tokens stay") { () throws(CodedError) in tokens = try self.pipeline.configuration.tokens() }
            attempt("webhook secrets stay") { () throws(CodedError) in
                secrets = try self.pipeline.configuration.webhookSecrets()
            }
            attempt("the certificate stays") { () throws(CodedError) in
                try self.server.reload(tokens: tokens, webhookSecrets: secrets)
            }
            if isWhole { self.logger.notice("tokens, webhook secrets and certificate read again") }
            self.notice.say("READY=1")
        }
    }
}
