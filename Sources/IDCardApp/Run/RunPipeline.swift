import IDCardCore
import IDCardDelivery
import IDCardPipeline
import IDCardSandbox
import IDCardVerification
import Logging
import OutboundHTTP

/// Joins store, imaging, services and engine, and drives a batch through them.
struct RunPipeline: Sendable {
    /// How the batch ended.
    struct End: Sendable {
        var ending: BatchEnding
        var pauses: [Stage: StagePause]
    }

    /// One client for each remote side: each has trust, proxy and limits of its own.
    private struct Clients {
        var verification: OutboundHTTPClient
        var delivery: OutboundHTTPClient
    }

    let store: SandboxStore
    let configuration: AppConfiguration
    /// Where the embedded backend keeps its documents.
    let documents: String
    let logger: Logger
    let observer: @Sendable (PipelineEvent) -> Void

    /// Takes in all inputs and drives every card as far as it goes, or until the end is requested.
    func run(_ items: [IntakeItem], until shutdown: Shutdown) async throws -> End {
        guard self.configuration.embedded else {
            return try await self.run(items, until: shutdown, services: try RemoteServices(self.configuration))
        }
        // What the remote side logs is its own affair, unless something is wrong there.
        var endpointLogger = self.logger
        endpointLogger.logLevel = max(self.logger.logLevel, .warning)
        // Before the backend opens its folder: what it could not be asked to forget while it was running.
        try await EmbeddedErasure(store: self.store, folder: self.documents).finish()
        let endpoints = EmbeddedEndpoints(
            documents: self.documents,
            credentials: try EmbeddedCredentials.inFolder(self.configuration.sandboxPath),
            logger: endpointLogger
        )
        return try await endpoints.serve { addresses in
            let services = RemoteServices(embedded: addresses, configuration: self.configuration)
            return try await self.run(items, until: shutdown, services: services)
        }
    }

    private func run(
        _ items: [IntakeItem],
        until shutdown: Shutdown,
        services: RemoteServices
    ) async throws -> End {
        let clients = Clients(
            verification: OutboundHTTPClient(configuration: services.verificationHTTP),
            delivery: OutboundHTTPClient(configuration: services.deliveryHTTP)
        )
        let result: Result<End, any Error>
        do {
            result = .success(try await self.run(items, until: shutdown, services: services, clients: clients))
        } catch {
            result = .failure(error)
        }
        await clients.verification.shutdown()
        await clients.delivery.shutdown()
        return try result.get()
    }

    private func run(
        _ items: [IntakeItem],
        until shutdown: Shutdown,
        services: RemoteServices,
        clients: Clients
    ) async throws -> End {
        try await ThreadPoolWork.with(threads: self.configuration.imaging.concurrency) { pool in
            let engine = Engine(
                store: self.store,
                ports: EnginePorts(
                    preparation: .recompressing(self.configuration.imaging),
                    verifier: try .calling(services.verification, client: clients.verification),
                    backend: try .calling(
                        services,
                        configuration: self.configuration.delivery,
                        client: clients.delivery
                    ),
                    pool: pool
                ),
                settings: EngineSettings(self.configuration),
                logger: self.logger,
                observer: self.observer
            )
            let ending = try await engine.runBatch(items, until: shutdown)
            return End(ending: ending, pauses: engine.pauses)
        }
    }
}
