package import FoundationEssentials
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle

/// The built-in verification endpoint: an HTTP server in three dialects that really reads the card.
///
/// | request | answer |
/// |---|---|
/// | `POST /faceid/v1/ocridcard` | the fields read, see ``FaceIDv1Answer``; no card seen: no `side` |
/// | `POST /cardpp/v1/ocridcard` | the fields read, see ``Faceppv1Answer``; no card seen: `cards` is empty |
/// | `POST /faceid/v3/ocridcard` | the fields read, see ``FaceIDv3Answer``; no card seen: 1002 and no `side` |
/// | anything else | 404 `API_NOT_FOUND` |
///
/// The form says whose it is (see ``VerifierAccounts``) and has the image as a file with a file name, of any content type: the
/// bytes must be a JPEG. What else it may have is each dialect's; other parts are ignored. Errors have the vendor's
/// words and statuses, see ``VerifierFault``. Nothing of a card, a key or a file name is ever logged.
package struct EmbeddedVerifier: Service {
    private let configuration: Configuration
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let onRunning: @Sendable (Int) async -> Void

    /// Describes a verifier; ``run()`` opens the port.
    ///
    /// - Parameters:
    ///   - configuration: How it listens, whom it knows and what a reading may cost.
    ///   - logger: Where it says what it did.
    ///   - now: The time, for request ids and the expiry of signatures.
    ///   - onRunning: Is told the bound port when connections are taken.
    package init(
        configuration: Configuration,
        logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() },
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.now = now
        self.onRunning = onRunning
    }

    /// Serves until graceful shutdown; readings under way are finished.
    ///
    /// - Throws: ``EmbeddedError`` with code `tesseractMissing` when a needed program or language is not installed, or
    ///   the system's error when the port cannot be had.
    package func run() async throws {
        let configuration = self.configuration
        let tesseract = Tesseract(configuration: configuration.tesseract)
        try await tesseract.checkInstallation()
        let desk = VerifierDesk(
            configuration: configuration,
            reader: CardReader(tesseract: tesseract),
            logger: self.logger,
            now: self.now
        )
        let onRunning = self.onRunning
        let application = Application(
            router: Self.router(desk: desk),
            server: .http1(configuration: Self.channel(configuration)),
            configuration: .init(address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? configuration.port) },
            logger: self.logger
        )
        try await application.run()
    }

    private static func router(desk: VerifierDesk) -> Router<VerifierContext> {
        let router = Router(context: VerifierContext.self)
        router.add(middleware: VerifierFaultMiddleware())
        for dialect in Dialect.allCases {
            router.post(RouterPath(dialect.path)) { request, context in
                try await desk.answer(request, in: dialect, context: context)
            }
        }
        return router
    }

    private static func channel(_ configuration: Configuration) -> HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            idleTimeout: TimeAmount(configuration.idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: configuration.headerBytes,
                maxHeaderListSize: configuration.headerBytes,
                maxHeaderFieldCount: 100
            )
        )
    }
}
