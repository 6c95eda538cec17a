package import Logging
import ServiceLifecycle

/// The built-in business backend: a real receiver of forms of the layouts `single`, `application` and `batch`, and of
/// raw images with their fields in headers.
///
/// It stores every accepted document, and implements `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07):
/// the same key with the same body gets the stored answer again, with another body 422, while the first request is in
/// progress 409; a request without a key gets 400.
///
/// | request | answer |
/// |---|---|
/// | `POST /upload` | 200 with `RETCODE` and `RETMSG`, for several documents `ITEMS`, too: see ``UploadAnswer/Code`` |
/// | `GET /healthz` | 200 with counts |
///
/// Errors are RFC 9457 problem details with a `code`. No field's value is ever logged.
package struct EmbeddedBackend: Service {
    /// The port, the folder and the limits of the backend.
    package struct Configuration: Sendable {
        /// The loopback port to listen on; 0 selects a free port, which `onRunning` receives.
        package var port = 0
        /// The folder for the ledger and the images, see ``LedgerFolder``. Made when missing.
        package var folder: String
        /// The valid values of TOKEN; if empty, every TOKEN is valid until it expires.
        package var tokens: [String] = []
        /// The number of accepted documents after which the tokens used so far expire, once; `nil` means never.
        package var requiresNewTokenAfter: Int?
        package var bodyBytes = Limits.requestBytes
        /// The maximum time for receiving a body.
        package var bodyTime = Limits.bodyTime
        /// The delay for a business number `SLOW-…`.
        package var slowTime = Limits.slowTime

        package init(folder: String) { self.folder = folder }
    }

    private let configuration: Configuration
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// Creates a backend; ``run()`` opens the folder and the port.
    ///
    /// - Parameter onRunning: Receives the bound port when connections are accepted.
    package init(
        configuration: Configuration,
        logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Serves until graceful shutdown or cancellation; uploads in progress are finished.
    ///
    /// - Throws: ``EmbeddedError`` when the folder or the port cannot be used.
    package func run() async throws {
        let configuration = self.configuration
        let (folder, contents) = try LedgerFolder.open(configuration.folder)
        defer { folder.close() }
        let ledger = Ledger(contents, in: folder, tokens: TokenRegister(configuration))
        let uploads = UploadRoute(configuration: configuration, ledger: ledger, logger: self.logger)
        try await EndpointServer(port: configuration.port, logger: self.logger)
            .run(uploads.router(), onRunning: self.onRunning)
    }

    /// Erases documents: deletes their images, and all data of persons and cases from the lines of their uploads.
    ///
    /// No backend may use the folder meanwhile. A missing folder counts as empty.
    ///
    /// - Parameter documents: the idempotency key of each document's upload, and its position in the upload, from 1.
    /// - Throws: ``EmbeddedError``: `folderInUse` or `folderUnusable`.
    package static func erase(_ documents: [(key: String, position: Int)], in path: String) throws(EmbeddedError) {
        guard !documents.isEmpty, LedgerFolder.exists(path) else { return }
        let (folder, contents) = try LedgerFolder.open(path)
        defer { folder.close() }
        do { try folder.erase(documents, from: contents) } catch { throw EmbeddedError(folder: error) }
    }
}
