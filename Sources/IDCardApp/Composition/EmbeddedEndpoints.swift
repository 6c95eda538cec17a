import IDCardCore
import IDCardEmbedded
import Logging
import ServiceLifecycle

/// The built-in verifier and backend, served by this process on free loopback ports for as long as a function runs.
struct EmbeddedEndpoints {
    /// Where they can be reached, and with what.
    struct Addresses: Sendable {
        var verifier: String
        var backend: String
        var credentials: EmbeddedCredentials
    }

    /// The folder in which the backend keeps documents and ledger.
    let documents: String
    let credentials: EmbeddedCredentials
    let logger: Logger

    private enum Port: Sendable {
        case verifier(Int)
        case backend(Int)
    }

    /// Starts both endpoints, calls a function with their addresses, and stops them when it is done.
    ///
    /// - Throws: what the function throws; `EmbeddedError` if an endpoint cannot start (no tesseract, folder not writable).
    func serve<Value: Sendable>(
        _ body: @escaping @Sendable (Addresses) async throws -> Value
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
                    result = .success(try await body(try await self.addresses(from: ports)))
                } catch {
                    result = .failure(error)
                }
                await services.triggerGracefulShutdown()
                return try result.get()
            }
            return try await self.outcome(of: &group)
        }
    }

    /// The value of the function; the error of an endpoint, if one failed, is the better explanation.
    private func outcome<Value: Sendable>(of group: inout ThrowingTaskGroup<Value?, any Error>) async throws -> Value {
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

    private func verifier(_ onRunning: @escaping @Sendable (Int) -> Void) -> EmbeddedVerifier {
        let configuration = EmbeddedVerifier.Configuration(
            secrets: [self.credentials.apiKey.reveal(): self.credentials.apiSecret.reveal()]
        )
        return EmbeddedVerifier(configuration: configuration, logger: self.logger, onRunning: { onRunning($0) })
    }

    private func backend(_ onRunning: @escaping @Sendable (Int) -> Void) -> EmbeddedBackend {
        var configuration = EmbeddedBackend.Configuration(folder: self.documents)
        configuration.tokens = [self.credentials.token.reveal()]
        return EmbeddedBackend(configuration: configuration, logger: self.logger, onRunning: { onRunning($0) })
    }

    private func addresses(from ports: AsyncStream<Port>) async throws -> Addresses {
        var verifier: Int?
        var backend: Int?
        for await port in ports {
            switch port {
            case .verifier(let number): verifier = number
            case .backend(let number): backend = number
            }
            if let verifier, let backend {
                return Addresses(
                    verifier: "http://127.0.0.1:\(verifier)",
                    backend: "http://127.0.0.1:\(backend)/upload",
                    credentials: self.credentials
                )
            }
        }
        throw CancellationError()
    }
}
