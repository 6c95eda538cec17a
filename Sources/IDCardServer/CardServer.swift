import Foundation
import Hummingbird
import HummingbirdCore
import IDCardCore
import IDCardPipeline
package import Logging
import NIOCore
import ServiceLifecycle

/// The way in over HTTP: cards, webhooks, runs, and what operators need to know.
///
/// ```swift
/// let server = try CardServer(
///     configuration: configuration,
///     ports: CardServer.Ports(intake: engine, cards: store),
///     tokens: TokenRegister(file: TokensFile(path: path)),
///     metrics: metrics,
///     logger: logger
/// )
/// try await ServiceGroup(services: [engine, server], logger: logger).run()
/// ```
package struct CardServer: Service {
    private let configuration: Configuration
    private let ports: Ports
    private let tokens: TokenRegister
    private let certificate: ServerCertificate?
    private let webhookSecrets: WebhookSecrets
    private let metrics: PrometheusMetrics
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// Describes a server; ``run()`` opens the port.
    ///
    /// - Parameters:
    ///   - configuration: How it listens, and what it takes.
    ///   - ports: What it works with.
    ///   - tokens: Who may ask.
    ///   - metrics: The figures of the process, which it adds to and shows.
    ///   - logger: Where it says what it did: one line a request, with the template of its path.
    ///   - onRunning: Is told the bound port when connections are taken.
    /// - Throws: `ServerError`: `listening_refused`, `certificate_unusable`.
    package init(
        configuration: Configuration,
        ports: Ports,
        tokens: TokenRegister,
        metrics: PrometheusMetrics = PrometheusMetrics(),
        logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws {
        try ListeningRule.check(
            host: configuration.host,
            hasCertificate: configuration.tls != nil,
            hasCredentials: !tokens.isEmpty || !configuration.webhookSecrets.isEmpty
        )
        self.configuration = configuration
        self.ports = ports
        self.tokens = tokens
        self.webhookSecrets = WebhookSecrets(configuration.webhookSecrets)
        self.certificate = try configuration.tls.map { try ServerCertificate($0) }
        self.metrics = metrics
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Reads tokens and certificate anew; what is open goes on as it is.
    ///
    /// - Parameter webhookSecrets: the secrets of senders from now on; `nil` leaves them as they are.
    /// - Throws: `ServerError`: `tokens_unusable`, `certificate_unusable`; what cannot be read stays as it was, and the
    ///   other is taken over.
    package func reload(webhookSecrets: [WebhookSecret]? = nil) throws {
        if let webhookSecrets { self.webhookSecrets.replace(with: webhookSecrets) }
        let tokens = Result { try self.tokens.reload() }
        try self.certificate?.reload()
        try tokens.get()
    }

    /// Serves until graceful shutdown: then no connection is taken any more, requests go on to their ends, and what is
    /// left after `shutdownGrace` is cut off.
    ///
    /// - Throws: `ServerError`: `listening_refused` if the port cannot be had.
    package func run() async throws {
        let register = ConnectionRegister(limits: self.configuration.connections)
        let figures = ServerMetrics(self.metrics)
        let router = self.routes(register, figures: figures).router()
        let limits = self.configuration.connections
        let (certificate, logger) = (self.certificate, self.logger)
        let application = Application(
            router: router,
            server: HTTPServerBuilder { responder in
                ServerChannel(
                    responder: responder,
                    limits: limits,
                    register: register,
                    certificate: certificate
                ) { code, id in
                    figures.count(refusal: code)
                    logger.debug(
                        "connection refused",
                        metadata: ["request.id": "\(id)", "http.code": "\(code.rawValue)"]
                    )
                }
            },
            configuration: .init(
                address: .hostname(self.configuration.host, port: self.configuration.port),
                backlog: 1_024
            ),
            onServerRunning: { channel in
                await self.onRunning(channel.localAddress?.port ?? self.configuration.port)
            },
            logger: Self.quiet(self.logger)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await application.run()
                } catch {
                    let (host, port) = (self.configuration.host, self.configuration.port)
                    throw ServerError(error, host: host, port: port, key: "server.listen") ?? error
                }
            }
            group.addTask { await self.cutOff(register) }
            // The server ends first, or with an error; the other waits for nothing but its own end.
            try await group.next()
            group.cancelAll()
        }
    }

    /// Waits for the end to be asked for, and then for the grace to run out.
    private func cutOff(_ register: ConnectionRegister) async {
        // Cancelled when the server has ended by itself.
        try? await gracefulShutdown()
        guard !Task.isCancelled else { return }
        try? await Task.sleep(for: self.configuration.shutdownGrace)
        register.closeAll()
        // Stays until the server has noticed: the first of the two to end ends the other.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) }
    }

    private func routes(_ register: ConnectionRegister, figures: ServerMetrics) -> ServerRoutes {
        let now = self.ports.now
        let limits = self.configuration.submission
        let spooled = ByteBudget(limit: max(limits.spooledBytes, limits.imageBytes))
        return ServerRoutes(
            envelope: Envelope(
                metrics: figures,
                origins: CrossOrigin(origins: self.configuration.origins),
                logger: self.logger
            ),
            authentication: Authentication(
                tokens: self.tokens,
                callers: RateLimit(self.configuration.callerRate),
                failures: RateLimit(self.configuration.failureRate),
                metrics: figures,
                now: { now().date }
            ),
            submissions: SubmissionDesk(self.ports, configuration: self.configuration, spooled: spooled),
            webhooks: WebhookDesk(
                self.ports,
                configuration: self.configuration,
                secrets: self.webhookSecrets,
                spooled: spooled,
                metrics: figures
            ),
            cards: CardDesk(ports: self.ports, limits: limits),
            runs: RunDesk(ports: self.ports, limits: limits),
            health: HealthDesk(ports: self.ports),
            figures: MetricsDesk(
                cards: self.ports.cards,
                now: self.ports.now,
                metrics: figures,
                rendered: self.metrics,
                connections: register
            ),
            document: OpenAPIDocument()
        )
    }

    /// What Hummingbird itself says of requests may hold their paths and header fields.
    private static func quiet(_ logger: Logger) -> Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .notice)
        return logger
    }
}
