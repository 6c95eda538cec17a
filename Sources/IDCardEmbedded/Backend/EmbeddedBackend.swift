package import FoundationEssentials
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle

/// The built-in business backend: a real receiver of forms of the layouts `single`, `application` and `batch`,
/// and of raw images with their fields in headers.
///
/// It shares no code with the sender, stores every accepted document durably, and honours `Idempotency-Key`
/// (draft-ietf-httpapi-idempotency-key-header-07): the same key with the same body gets the stored answer again, with
/// another body 422, while the first is under way 409, without a key 400.
///
/// | request | answer |
/// |---|---|
/// | `POST /upload` | 200 with `RETCODE` and `RETMSG`, for several documents `ITEMS`, too: see ``ReplyCodes`` |
/// | `GET /healthz` | 200 with counts |
/// | `GET /ledger` | the accepted documents and the refusals; loopback only |
/// | `POST /control/expire-token` | expires the tokens in use; `{"accept": "…"}` makes one good; loopback only |
///
/// Errors are RFC 9457 problem details with a `code`. No field's value is ever logged.
package struct EmbeddedBackend: Service {
    private let configuration: Configuration
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let onRunning: @Sendable (Int) async -> Void

    /// Describes a backend; ``run()`` opens the folder and the port.
    ///
    /// - Parameters:
    ///   - configuration: How it listens, what it accepts and where it keeps it.
    ///   - logger: Where it says what it did.
    ///   - onRunning: Is told the bound port when connections are taken.
    ///   - now: The time.
    package init(
        configuration: Configuration,
        logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.now = now
        self.onRunning = onRunning
    }

    /// Serves until graceful shutdown; uploads under way are finished.
    ///
    /// - Throws: ``EmbeddedError`` when the folder cannot be used, or the system's error when the port cannot be had.
    package func run() async throws {
        let configuration = self.configuration
        let now = self.now
        let replies = try ReplyWriter(configuration)
        let queue = BlockingQueue(label: "idcard.backend")
        let archive = try await queue.run { try Archive(configuration: configuration, now: now) }
        defer { archive.end() }
        let desk = UploadDesk(
            configuration: configuration,
            archive: archive,
            queue: queue,
            replies: replies,
            logger: self.logger
        )
        let onRunning = self.onRunning
        let application = Application(
            router: BackendRoutes(configuration: configuration, archive: archive, queue: queue, desk: desk).router(),
            server: .http1(configuration: Self.channel(configuration)),
            configuration: .init(address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? configuration.port) },
            logger: self.logger
        )
        try await application.run()
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
