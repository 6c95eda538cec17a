package import Logging
import ServiceLifecycle

/// The built-in business backend: a real receiver of forms of the layouts `single`, `application` and `batch`, and of
/// raw images with their fields in headers.
///
/// It keeps every accepted document, and honours `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): the
/// same key with the same body gets the stored answer again, with another body 422, while the first is under way 409,
/// without a key 400.
///
/// | request | answer |
/// |---|---|
/// | `POST /upload` | 200 with `RETCODE` and `RETMSG`, for several documents `ITEMS`, too: see ``ReplyCode`` |
/// | `GET /healthz` | 200 with counts |
///
/// Errors are RFC 9457 problem details with a `code`. No field's value is ever logged.
package struct EmbeddedBackend: Service {
    /// How the backend listens, what it accepts and where it keeps it.
    package struct Configuration: Sendable {
        /// The port of loopback to listen on; 0 takes a free one, of which `onRunning` is told.
        package var port = 0
        /// The folder for the ledger and the images, see ``LedgerFolder``. Made when missing.
        package var folder: String
        /// The values of TOKEN that are good; none means that every TOKEN is, until it is expired.
        package var tokens: [String] = []
        /// After so many accepted documents the tokens used so far expire, once; `nil` means never.
        package var requiresNewTokenAfter: Int?
        /// The bytes of an upload at most.
        package var bodyBytes = Limits.requestBytes
        /// How long a body may take to arrive.
        package var bodyTime = Limits.bodyTime
        /// How long the answer to a business number `SLOW-…` takes.
        package var slowTime = Limits.slowTime

        /// Describes a backend on a free port of the loopback interface.
        package init(folder: String) { self.folder = folder }
    }

    private let configuration: Configuration
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// Describes a backend; ``run()`` opens the folder and the port.
    ///
    /// - Parameter onRunning: is told the bound port when connections are taken.
    package init(
        configuration: Configuration,
        logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Serves until graceful shutdown or cancellation; uploads under way are finished.
    ///
    /// - Throws: ``EmbeddedError`` when the folder cannot be used, or the port cannot be had.
    package func run() async throws {
        let configuration = self.configuration
        let (folder, contents) = try LedgerFolder.open(configuration.folder)
        defer { folder.close() }
        let ledger = Ledger(contents, in: folder, tokens: TokenRegister(configuration))
        let uploads = UploadRoute(configuration: configuration, ledger: ledger, logger: self.logger)
        try await EndpointServer(port: configuration.port, logger: self.logger)
            .run(uploads.router(), onRunning: self.onRunning)
    }

    /// Erases documents: their images go, their lines in the ledger keep neither a person's nor a case's data.
    ///
    /// No backend may be using the folder meanwhile. A folder that is not there holds nothing.
    ///
    /// - Parameter documents: the upload's idempotency key of each, and its position in it, from 1.
    /// - Throws: ``EmbeddedError``: `folderInUse` or `folderUnusable`.
    package static func erase(_ documents: [(key: String, position: Int)], in path: String) throws(EmbeddedError) {
        guard !documents.isEmpty, LedgerFolder.exists(path) else { return }
        let (folder, contents) = try LedgerFolder.open(path)
        defer { folder.close() }
        do { try folder.erase(documents, from: contents.documents) } catch { throw EmbeddedError(folder: error) }
    }
}
