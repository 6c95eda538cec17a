import IDCardCore
import IDCardEmbedded
import Logging

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

    private enum Step<Value: Sendable>: Sendable {
        case endpointEnded(String)
        case done(Value)
    }

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
        return try await withThrowingTaskGroup(of: Step<Value>.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await self.verifier { announce.yield(.verifier($0)) }.run()
                return .endpointEnded("verifier")
            }
            group.addTask {
                try await self.backend { announce.yield(.backend($0)) }.run()
                return .endpointEnded("backend")
            }
            group.addTask { .done(try await body(try await self.addresses(from: ports))) }
            while let step = try await group.next() {
                switch step {
                case .done(let value): return value
                case .endpointEnded(let name):
                    try Task.checkCancellation()
                    preconditionFailure("the embedded \(name) ended without being asked to")
                }
            }
            throw CancellationError()
        }
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
