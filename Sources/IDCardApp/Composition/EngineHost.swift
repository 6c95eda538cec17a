import IDCardCore
import IDCardDelivery
import IDCardPipeline
import IDCardSandbox
import IDCardVerification
import Logging
import Metrics
import OutboundHTTP
import Synchronization

/// Joins store, imaging, services and engine, for as long as something is done with them.
struct EngineHost: Sendable {
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
    /// Where the figures of the stages go.
    var metrics: any MetricsFactory = NOOPMetricsHandler.instance
    let observer: @Sendable (PipelineEvent) -> Void
    /// Whether it works until it is asked to end, rather than on one batch.
    var isService = false

    /// Makes an engine with all that it needs, hands it to a function, and lets go of it all when the function is done.
    func with<Value: Sendable>(
        _ body: @escaping @Sendable (Engine) async throws -> Value
    ) async throws -> Value {
        guard self.configuration.embedded else {
            return try await self.with(services: try RemoteServices(self.configuration), body)
        }
        // What the remote side logs is its own affair, unless something is wrong there.
        var endpointLogger = self.logger
        endpointLogger.logLevel = max(self.logger.logLevel, .warning)
        // Before the backend opens its folder: what it could not be asked to forget while it was running.
        do {
            try await EmbeddedErasure(store: self.store, folder: self.documents).finish()
        } catch let error as StoreError where error.code == .unavailable {
            // Intake goes on without it; readiness and `fsck` name it until it is fixed.
            self.logger.error(
                "certificates of erasures not written, tried again later",
                metadata: ["store.code": "\(error.code)", "detail": "\(error.message)"]
            )
        }
        let endpoints = EmbeddedEndpoints(
            documents: self.documents,
            credentials: try EmbeddedCredentials.inFolder(self.configuration.sandboxPath),
            logger: endpointLogger
        )
        return try await endpoints.serve { addresses in
            let services = RemoteServices(embedded: addresses, configuration: self.configuration)
            return try await self.with(services: services, body)
        }
    }

    private func with<Value: Sendable>(
        services: RemoteServices,
        _ body: @escaping @Sendable (Engine) async throws -> Value
    ) async throws -> Value {
        let clients = Clients(
            verification: OutboundHTTPClient(configuration: services.verificationHTTP),
            delivery: OutboundHTTPClient(configuration: services.deliveryHTTP)
        )
        let result: Result<Value, any Error>
        do {
            result = .success(
                try await ThreadPoolWork.with(threads: self.configuration.imaging.concurrency) { pool in
                    let engine = try self.engine(services: services, clients: clients, pool: pool)
                    if self.isService { ProcessMemory.forgetStarting() }
                    return try await body(engine)
                }
            )
        } catch {
            result = .failure(error)
        }
        await clients.verification.shutdown()
        await clients.delivery.shutdown()
        return try result.get()
    }

    private func engine(services: RemoteServices, clients: Clients, pool: ThreadPoolWork) throws -> Engine {
        Engine(
            store: self.store,
            ports: EnginePorts(
                preparation: .recompressing(self.configuration.imaging),
                verifier: try .calling(services.verification, client: clients.verification),
                backend: try .calling(
                    services,
                    configuration: self.configuration.delivery,
                    client: clients.delivery
                ),
                fetcher: try .configured(self.configuration),
                pool: pool,
                metrics: self.metrics
            ),
            settings: EngineSettings(self.configuration),
            logger: self.logger,
            observer: self.isService ? self.observer : self.forgettingStarting()
        )
    }

    /// The observer; with the first card that moves, memory counts, and a run over known inputs has none.
    private func forgettingStarting() -> @Sendable (PipelineEvent) -> Void {
        let isForgotten = Atomic(false)
        let observer = self.observer
        return { event in
            if case .cardChanged = event, !isForgotten.exchange(true, ordering: .relaxed) {
                ProcessMemory.forgetStarting()
            }
            observer(event)
        }
    }
}
