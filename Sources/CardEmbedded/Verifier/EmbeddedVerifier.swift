package import FoundationEssentials
package import Logging
import ServiceLifecycle

/// The built-in verification endpoint: an HTTP server in three dialects that reads real cards.
///
/// | request | answer |
/// |---|---|
/// | the path of a ``Dialect`` | the fields read, see ``ReadingAnswer`` |
/// | anything else | 404 `API_NOT_FOUND` |
///
/// The form holds credentials (see ``VerifierAccounts``) and the image as a file with a file name, of any content type:
/// the bytes must be a JPEG. Further parts depend on the dialect; unknown parts are ignored. Errors have the vendor's
/// texts and statuses, see ``VerifierFault``. No data of a card, key or file name is ever logged.
package struct EmbeddedVerifier: Service {
    /// The port, the accounts and the limits of the verifier.
    package struct Configuration: Sendable {
        /// The loopback port to listen on; 0 selects a free port, which `onRunning` receives.
        package var port = 0
        /// The accounts: `api_key` to `api_secret`.
        package var secrets: [String: String]
        package var tesseract = Tesseract.Configuration()
        /// The maximum concurrent requests; one more gets `CONCURRENCY_LIMIT_EXCEEDED`. By default the number of cores:
        /// reading is CPU-bound, and more requests would exceed the deadlines of their clients.
        package var concurrency = max(2, ProcessInfo.processInfo.activeProcessorCount)

        /// The delay for a card with the ``TestName/slow`` name.
        package var slowTime = Limits.slowTime

        package init(secrets: [String: String] = ["embedded-key": "embedded-secret"]) { self.secrets = secrets }
    }

    private let configuration: Configuration
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let onRunning: @Sendable (Int) async -> Void

    /// Creates a verifier; ``run()`` opens the port.
    ///
    /// - Parameters:
    ///   - now: the time, for request ids and the expiry of signatures.
    ///   - onRunning: receives the bound port when connections are accepted.
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

    /// Serves until graceful shutdown or cancellation; readings in progress are finished.
    ///
    /// - Throws: ``EmbeddedError`` with code `tesseractMissing` when a needed program or language is not installed, or
    ///   `portUnavailable`.
    package func run() async throws {
        let tesseract = Tesseract(configuration: self.configuration.tesseract)
        try await tesseract.checkInstallation()
        let (configuration, reader) = (self.configuration, CardReader(tesseract: tesseract))
        let readings = ReadingRoute(configuration: configuration, reader: reader, logger: self.logger, now: self.now)
        try await EndpointServer(port: configuration.port, logger: self.logger)
            .run(readings.router(), onRunning: self.onRunning)
    }
}
