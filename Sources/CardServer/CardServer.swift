package import CardModel
import Glibc
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The HTTP server: cards, webhooks, runs, and what operators need to know.
///
/// ```swift
/// let server = try CardServer(configuration: configuration, ports: ports, logger: logger)
/// try await server.run()  // beside `engine.run`
/// ```
package struct CardServer: Service {
    /// Returns the valid tokens, once for each request with a token. An error becomes a 503 without details.
    package typealias TokenSource = @Sendable () throws(CodedError) -> [AccessToken]

    let configuration: Configuration
    let ports: Ports
    let webhookSecrets: WebhookSecrets
    private let certificate: ServerCertificate?
    let metrics: ServerMetrics
    let logger: Logger
    let register: ConnectionRegister
    private let onRunning: @Sendable (Int) async -> Void

    /// Describes a server; ``run()`` opens the port.
    ///
    /// - Parameters:
    ///   - metrics: the metrics of the process, which the server updates and serves.
    ///   - logger: gets one line for each request, with the template of its path.
    ///   - onRunning: called with the bound port once connections are accepted.
    /// - Throws: `listening_refused`, `certificate_unusable`.
    package init(
        configuration: Configuration,
        ports: Ports,
        metrics: ServerMetrics = ServerMetrics(),
        logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws(CodedError) {
        try configuration.checkListening()
        self.configuration = configuration
        self.ports = ports
        self.webhookSecrets = WebhookSecrets(configuration.webhookSecrets)
        self.certificate = if let files = configuration.tls { try ServerCertificate(files) } else { nil }
        self.metrics = metrics
        self.logger = logger
        self.register = ConnectionRegister(limits: configuration.connections)
        self.onRunning = onRunning
    }

    /// Replaces the webhook secrets: later webhooks are checked with these.
    package func setWebhookSecrets(_ secrets: [WebhookSecret]) { self.webhookSecrets.current.withLock { $0 = secrets } }

    /// Reads the certificate again; open connections are unchanged.
    ///
    /// - Throws: `certificate_unusable`: then the certificate in use stays.
    package func reloadCertificate() throws(CodedError) { try self.certificate?.reload() }

    /// Serves until graceful shutdown or cancellation: then no connection is accepted, requests may finish, and those left
    /// after `shutdownTimeout` are cut off.
    ///
    /// - Throws: `port_unavailable`.
    package func run() async throws {
        let isRunning = Atomic(false)
        let application = self.application { port in
            isRunning.store(true, ordering: .relaxed)
            await self.onRunning(port)
        }
        let group = ServiceGroup(services: [application], logger: Self.quiet(self.logger))
        let timeout = self.configuration.shutdownTimeout
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        // A task of its own, awaited below, because cancellation must not reach the accept loop: NIO traps over a
        // connection that was accepted and never served (swift-nio issues 2637 and 2813). A graceful shutdown stops
        // accepting first and serves what was accepted.
        let serving = Task {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                tasks.addTask {
                    for await _ in stops {
                        await group.triggerGracefulShutdown()
                        try await Task.sleep(for: timeout)
                        self.register.closeAll()
                    }
                }
                // The server finishes first: the other task waits for a signal until it is cancelled.
                try await tasks.next()
                tasks.cancelAll()
            }
        }
        do {
            try await withTaskCancellationOrGracefulShutdownHandler {
                try await serving.value
            } onCancelOrGracefulShutdown: {
                stop.yield()
            }
        } catch let error as IOError where !isRunning.load(ordering: .relaxed) {
            throw self.unavailable(error.errnoCode == EADDRINUSE ? .listenInUse : .textSystemError(error.errnoCode))
        } catch let error as SocketAddressError {
            let isUnknown = if case .unknown = error { true } else { false }
            throw self.unavailable(isUnknown ? .listenUnknownHost : .listenNoAddress)
        }
    }

    private func unavailable(_ reason: Message) -> CodedError {
        CodedError(
            ReasonCode(rawValue: "port_unavailable"),
            .configuration,
            .listenFailed(self.configuration.host, self.configuration.port, reason)
        )
    }

    // MARK: Parts

    private func application(onRunning: @escaping @Sendable (Int) async -> Void) -> some ApplicationProtocol {
        let (certificate, register, logger, metrics) = (self.certificate, self.register, self.logger, self.metrics)
        let configuration = self.configuration
        return Application(
            router: self.router(),
            server: HTTPServerBuilder { responder in
                ServerChannel(
                    base: HTTP1Channel(
                        responder: responder,
                        configuration: .init(
                            httpDecoderConfiguration: .init(
                                maxHeaderFieldSize: Limits.headBytes,
                                maxHeaderListSize: Limits.headBytes,
                                maxHeaderFieldCount: Limits.headerFields
                            )
                        )
                    ),
                    limits: configuration.connections,
                    register: register,
                    certificate: certificate
                ) { code, id in
                    metrics.add(.refusals, [code.name])
                    logger.debug("connection refused", metadata: ["request.id": "\(id)", "http.code": "\(code.name)"])
                }
            },
            configuration: .init(address: .hostname(configuration.host, port: configuration.port), backlog: 1_024),
            onServerRunning: { await onRunning($0.localAddress?.port ?? configuration.port) },
            logger: Self.quiet(self.logger)
        )
    }

    /// Raises the log level: Hummingbird's own lines may hold paths and header fields of requests.
    private static func quiet(_ logger: Logger) -> Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .notice)
        return logger
    }
}
