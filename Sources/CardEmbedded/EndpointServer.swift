import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The HTTP/1 server of both endpoints: on loopback, with limits on header lines and idle connections.
struct EndpointServer {
    let port: Int
    let logger: Logger

    /// Serves until graceful shutdown or cancellation; requests in progress are finished.
    ///
    /// - Parameter onRunning: Receives the bound port when connections are accepted.
    /// - Throws: ``EmbeddedError`` `portUnavailable`.
    func run(_ router: Router<ConnectionContext>, onRunning: @escaping @Sendable (Int) async -> Void) async throws {
        let isRunning = Atomic(false)
        let application = Application(
            router: router,
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    idleTimeout: TimeAmount(Limits.idleTime),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: Limits.headerBytes,
                        maxHeaderListSize: Limits.headerBytes,
                        maxHeaderFieldCount: Limits.headerFields
                    )
                )
            ),
            configuration: .init(address: .hostname("127.0.0.1", port: self.port)),
            onServerRunning: { channel in
                isRunning.store(true, ordering: .relaxed)
                await onRunning(channel.localAddress?.port ?? self.port)
            },
            logger: self.logger
        )
        let group = ServiceGroup(services: [application], logger: self.logger)
        // A separate task, awaited below, because cancellation must not reach the accept loop: NIO traps on a
        // connection that was accepted and never served (swift-nio issues 2637 and 2813). A graceful shutdown stops
        // accepting first and serves what was accepted.
        let serving = Task { try await group.run() }
        do {
            try await withTaskCancellationOrGracefulShutdownHandler {
                try await serving.value
            } onCancelOrGracefulShutdown: {
                Task { await group.triggerGracefulShutdown() }
            }
        } catch let error as IOError where !isRunning.load(ordering: .relaxed) {
            let reason = String(cString: strerror(error.errnoCode))
            let remedy = (error.errnoCode == EADDRINUSE ? "end what uses it, or " : "") + "name another one by --port"
            throw EmbeddedError(.portUnavailable, "It cannot listen on port \(self.port): \(reason); \(remedy).")
        }
    }
}

/// Answers the router's own errors (no such path or method) in the format of the endpoint.
struct RouterRefusals: RouterMiddleware {
    let answer: @Sendable (HTTPError) throws -> Response

    func handle(
        _ request: Request,
        context: ConnectionContext,
        next: @concurrent (Request, ConnectionContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as HTTPError { return try self.answer(error) }
    }
}

struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    fileprivate let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        self.coreContext = .init(source: source)
        self.channel = source.channel
    }

    /// Closes the connection later, unless the returned task is cancelled before.
    @discardableResult
    func closeConnection(in delay: Duration) -> Scheduled<Void> {
        let channel = self.channel
        return channel.eventLoop.scheduleTask(in: TimeAmount(delay)) { channel.close(promise: nil) }
    }
}

extension ConnectionContext {
    func close() async { try? await self.channel.close().get() }

    /// Returns when the client has closed the connection, or the endpoint shuts down.
    func closed() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try? await self.channel.pipeline.addHandler(ClosureWatch { end.finish() }, position: .first).get()
        // No event reports an earlier close.
        if await !self.isEstablished { end.finish() }
        await cancelWhenGracefulShutdown { for await _ in ends {} }
    }

    /// Whether the client has closed neither half of the connection (tcp(7), `TCP_INFO`).
    private var isEstablished: Bool {
        get async {
            guard let options = self.channel as? any SocketOptionProvider else { return self.channel.isActive }
            let name = NIOBSDSocket.Option(rawValue: CInt(TCP_INFO))
            let info: tcp_info? = try? await options.unsafeGetSocketOption(level: .tcp, name: name).get()
            return info.map { Int($0.tcpi_state) == Int(TCP_ESTABLISHED) } ?? false
        }
    }
}

/// Reports that the client no longer sends: a connection that it closed stays half-closed until it is answered.
private final class ClosureWatch: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let closed: @Sendable () -> Void

    init(_ closed: @escaping @Sendable () -> Void) { self.closed = closed }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { self.closed() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.closed()
        context.fireChannelInactive()
    }
}

extension Request {
    /// The request's body exceeds the limit.
    struct BodyTooLarge: Error {}

    /// Collects the body; the connection is closed if it does not arrive in time.
    ///
    /// - Throws: ``BodyTooLarge``, or the connection's error.
    func wholeBody(upTo limit: Int, within time: Duration, context: ConnectionContext) async throws -> Data {
        if let declared = self.headers[.contentLength].flatMap(Int.init), declared > limit { throw BodyTooLarge() }
        let deadline = context.closeConnection(in: time)
        defer { deadline.cancel() }
        do {
            return Data(try await self.body.collect(upTo: limit).readableBytesView)
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw BodyTooLarge()
        }
    }
}

extension Response {
    init(_ status: HTTPResponse.Status, _ contentType: String, _ body: some Sequence<UInt8>) {
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        self.init(status: status, headers: [.contentType: contentType], body: body)
    }

    init(_ status: HTTPResponse.Status, json: JSON, contentType: String = "application/json") throws {
        self.init(status, contentType, try json.jsonBytes())
    }
}
