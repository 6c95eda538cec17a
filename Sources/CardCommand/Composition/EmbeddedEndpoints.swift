import CardEmbedded
import CardModel
import CardRemote
import Logging
import ServiceLifecycle

/// The built-in verifier and backend, served by this process on free loopback ports for as long as a function runs.
struct EmbeddedEndpoints {
    /// For trying out only: whoever can reach loopback may call them.
    private static let (apiKey, apiSecret, token) = ("embedded-key", "embedded-secret", "embedded-token")

    /// Paces and times of the calls; addresses and credentials are our own.
    let configuration: Configuration
    let logger: Logger

    private enum Port: Sendable {
        case verifier(Int)
        case backend(Int)
    }

    /// Starts both endpoints, calls a function with their settings, and stops them when it is done.
    func serve<Value: Sendable>(
        _ body: @escaping @Sendable (VerificationSettings, DeliverySettings) async throws -> Value
    ) async throws -> Value {
        // Two ports at most are ever announced.
        let (ports, announce) = AsyncStream.makeStream(of: Port.self, bufferingPolicy: .bufferingNewest(2))
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: self.verifier { announce.yield(.verifier($0)) }),
                    .init(service: self.backend { announce.yield(.backend($0)) }),
                ],
                logger: self.logger
            )
        )
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                // If the endpoints cannot start, nobody announces a port any more.
                defer { announce.finish() }
                try await services.run()
                return nil
            }
            group.addTask {
                let result: Result<Value, any Error>
                do {
                    let (verification, delivery) = try await self.settings(from: ports)
                    result = .success(try await body(verification, delivery))
                } catch {
                    result = .failure(error)
                }
                await services.triggerGracefulShutdown()
                return try result.get()
            }
            return try await Self.outcome(of: &group)
        }
    }

    /// The value of the function; the error of an endpoint, if one failed, is the better explanation.
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
        if let error = failure as? EmbeddedError { throw CodedError(error) }
        if let failure { throw failure }
        guard let value else { throw CancellationError() }
        return value
    }

    private func verifier(_ onRunning: @escaping @Sendable (Int) -> Void) -> EmbeddedVerifier {
        let configuration = EmbeddedVerifier.Configuration(secrets: [Self.apiKey: Self.apiSecret])
        return EmbeddedVerifier(configuration: configuration, logger: self.logger, onRunning: { onRunning($0) })
    }

    private func backend(_ onRunning: @escaping @Sendable (Int) -> Void) -> EmbeddedBackend {
        var configuration = EmbeddedBackend.Configuration(folder: self.configuration.embeddedDocuments)
        configuration.tokens = [Self.token]
        return EmbeddedBackend(configuration: configuration, logger: self.logger, onRunning: { onRunning($0) })
    }

    private func settings(from ports: AsyncStream<Port>) async throws -> (VerificationSettings, DeliverySettings) {
        var verifier: Int?
        var backend: Int?
        for await port in ports {
            switch port {
            case .verifier(let number): verifier = number
            case .backend(let number): backend = number
            }
            guard let verifier, let backend else { continue }
            var delivery = DeliverySettings(
                endpoint: self.endpoint(":\(backend)/upload", like: self.configuration.backend.endpoint),
                token: .value(Redacted(Self.token))
            )
            delivery.userNumber = Redacted("embedded")
            return (
                VerificationSettings(
                    endpoint: self.endpoint(":\(verifier)", like: self.configuration.verifier.endpoint),
                    apiKey: Redacted(Self.apiKey),
                    apiSecret: Redacted(Self.apiSecret)
                ),
                delivery
            )
        }
        throw CancellationError()
    }

    /// As many connections as calls: one that waited for a connection would use its time up.
    private func endpoint(_ place: String, like configured: EndpointSettings) -> EndpointSettings {
        var settings = EndpointSettings(url: "http://127.0.0.1" + place)
        settings.concurrency = configured.concurrency
        settings.timeout = configured.timeout
        return settings
    }
}
