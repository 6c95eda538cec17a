import CardEmbedded
import CardModel
import CardRemote
import Logging
import ServiceLifecycle

/// The built-in verifier and backend, served by this process on free loopback ports while a function runs.
struct EmbeddedEndpoints {
    /// Fixed credentials: any program that can reach loopback may call these endpoints, which are only for trials.
    private static let (apiKey, apiSecret, token) = ("embedded-key", "embedded-secret", "embedded-token")

    /// Only its limits of calls are used; addresses and credentials are those of the built-in endpoints.
    let configuration: Configuration
    let logger: Logger

    /// Starts both endpoints, calls a function with their settings, and stops them afterwards.
    func serve<Value: Sendable>(
        _ body: @escaping @Sendable (VerificationSettings, DeliverySettings) async throws -> Value
    ) async throws -> Value {
        // Each endpoint yields its port once.
        let (verifierPorts, verifierPort) = AsyncStream.makeStream(of: Int.self)
        let (backendPorts, backendPort) = AsyncStream.makeStream(of: Int.self)
        let access = EmbeddedVerifier.Configuration(secrets: [Self.apiKey: Self.apiSecret])
        let verifier = EmbeddedVerifier(
            configuration: access,
            logger: self.logger,
            onRunning: { verifierPort.yield($0) }
        )
        var folder = EmbeddedBackend.Configuration(folder: self.configuration.embeddedDocuments)
        folder.tokens = [Self.token]
        let backend = EmbeddedBackend(configuration: folder, logger: self.logger, onRunning: { backendPort.yield($0) })
        let services = ServiceGroup(services: [verifier, backend], logger: self.logger)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                // Ends the wait for ports if the endpoints cannot start.
                defer {
                    verifierPort.finish()
                    backendPort.finish()
                }
                try await services.run()
                return nil
            }
            group.addTask {
                try await ending {
                    guard let verifier = await verifierPorts.first(where: { _ in true }),
                        let backend = await backendPorts.first(where: { _ in true })
                    else { throw CancellationError() }
                    return try await body(self.verification(verifier), self.delivery(backend))
                } by: {
                    await services.triggerGracefulShutdown()
                }
            }
            return try await Self.outcome(of: &group)
        }
    }

    /// Returns the value of the function. If an endpoint failed, throws that error, not the cancellation that it caused.
    private static func outcome<Value: Sendable>(
        of group: inout ThrowingTaskGroup<Value?, any Error>
    ) async throws -> Value {
        var value: Value?
        var failure: (any Error)?
        while let result = await group.nextResult() {
            switch result {
            case .success(let ended): value = ended ?? value
            case .failure(let error) where failure == nil || failure is CancellationError: failure = error
            case .failure: break
            }
        }
        if let failure { throw failure }
        guard let value else { throw CancellationError() }
        return value
    }

    private func verification(_ port: Int) -> VerificationSettings {
        VerificationSettings(
            endpoint: self.endpoint(":\(port)", like: self.configuration.verifier.endpoint),
            apiKey: Redacted(Self.apiKey),
            apiSecret: Redacted(Self.apiSecret)
        )
    }

    private func delivery(_ port: Int) -> DeliverySettings {
        var delivery = DeliverySettings(
            endpoint: self.endpoint(":\(port)/upload", like: self.configuration.backend.endpoint),
            token: .value(Redacted(Self.token))
        )
        delivery.userNumber = Redacted("embedded")
        return delivery
    }

    /// As many connections as calls: a call that waited for a connection would use up its time.
    private func endpoint(_ portAndPath: String, like configured: EndpointSettings) -> EndpointSettings {
        var settings = EndpointSettings(url: "http://127.0.0.1" + portAndPath)
        settings.concurrency = configured.concurrency
        settings.timeout = configured.timeout
        return settings
    }
}
