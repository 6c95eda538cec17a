package import FoundationEssentials
package import Logging
import ServiceLifecycle

/// The built-in verification endpoint: an HTTP server in three dialects that really reads the card.
///
/// | request | answer |
/// |---|---|
/// | the path of a ``Dialect`` | the fields read, see ``ReadingAnswer`` |
/// | anything else | 404 `API_NOT_FOUND` |
///
/// The form says whose it is (see ``VerifierAccounts``) and has the image as a file with a file name, of any content
/// type: the bytes must be a JPEG. What else it may have is each dialect's; other parts are ignored. Errors have the
/// vendor's words and statuses, see ``VerifierFault``. Nothing of a card, a key or a file name is ever logged.
package struct EmbeddedVerifier: Service {
    /// How the verifier listens, whom it knows and what a reading may cost.
    package struct Configuration: Sendable {
        /// The port of loopback to listen on; 0 takes a free one, of which `onRunning` is told.
        package var port = 0
        /// The accounts: `api_key` to `api_secret`.
        package var secrets: [String: String]
        package var tesseract = Tesseract.Configuration()
        /// Requests answered at once; one more gets `CONCURRENCY_LIMIT_EXCEEDED`. As many as there are cores: reading is
        /// computing, and more at once only run into the deadlines of their callers.
        package var concurrency = max(2, ProcessInfo.processInfo.activeProcessorCount)

        /// How long the reading of a card with the ``TestName/slow`` name takes.
        package var slowTime = Limits.slowTime

        /// Describes a verifier on a free port of the loopback interface, with an account for trying out.
        package init(secrets: [String: String] = ["embedded-key": "embedded-secret"]) { self.secrets = secrets }
    }

    private let configuration: Configuration
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let onRunning: @Sendable (Int) async -> Void

    /// Describes a verifier; ``run()`` opens the port.
    ///
    /// - Parameters:
    ///   - now: the time, for request ids and the expiry of signatures.
    ///   - onRunning: is told the bound port when connections are taken.
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

    /// Serves until graceful shutdown or cancellation; readings under way are finished.
    ///
    /// - Throws: ``EmbeddedError`` with code `tesseractMissing` when a needed program or language is not installed, or
    ///   `portUnavailable`.
    package func run() async throws {
        let tesseract = Tesseract(configuration: self.configuration.tesseract)
        try await tesseract.checkInstallation()
        let readings = ReadingRoute(
            configuration: self.configuration,
            reader: CardReader(tesseract: tesseract),
            logger: self.logger,
            now: self.now
        )
        try await EndpointServer(port: self.configuration.port, logger: self.logger)
            .run(readings.router(), onRunning: self.onRunning)
    }
}
