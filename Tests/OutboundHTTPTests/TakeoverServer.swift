import NIOCore
import NIOPosix
import Synchronization

/// A proxy that opens a tunnel for the first `CONNECT`, to itself, and none for the second, on which it answers the
/// first request: so a request that waits for the second connection is given the first one.
final class TakeoverServer: Sendable {
    /// What is told to the test.
    enum Event: Hashable, Sendable {
        /// The request of that number, from 0, is complete.
        case request(Int)
    }

    /// The body that every request must have.
    static let body = "the-end"

    private struct State {
        var tunnel: (any Channel)?
        var silent: (any Channel)?
        var connects = 0
        var requests = 0
        var listener: (any Channel)?
    }

    private let state = Mutex(State())
    private let events: AsyncStream<Event>
    private let happened: AsyncStream<Event>.Continuation

    init() {
        (self.events, self.happened) = AsyncStream.makeStream(of: Event.self)
    }

    /// Starts to listen and returns the port.
    func start() async throws -> Int {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(TakeoverHandler(server: self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.state.withLock { $0.listener = listener }
        return listener.localAddress?.port ?? 0
    }

    /// Stops to listen.
    func stop() async {
        // The one error is that it was stopped before.
        try? await self.state.withLock { $0.listener }?.close()
    }

    /// Waits for an event; those before it are passed over.
    func event(_ wanted: Event) async {
        for await event in self.events where event == wanted { return }
    }

    /// Answers the request that is under way, and ends the connection that was never answered.
    func answer() async {
        let reply = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        // If the tunnel has closed, the request says so.
        try? await self.state.withLock { $0.tunnel }?.writeAndFlush(reply)
        // Or the client would wait for it before it shuts down.
        try? await self.state.withLock { $0.silent }?.close()
    }

    /// Notes a `CONNECT`.
    fileprivate func connect(_ channel: any Channel) {
        let (number, tunnel) = self.state.withLock { state in
            state.connects += 1
            if state.connects == 1 { state.tunnel = channel } else { state.silent = channel }
            return (state.connects, state.tunnel)
        }
        let text =
            number == 1
            ? "HTTP/1.1 200 Connection established\r\n\r\n" : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        tunnel?.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }

    /// Notes a complete request.
    fileprivate func request() {
        let number = self.state.withLock { state in
            state.requests += 1
            return state.requests - 1
        }
        self.happened.yield(.request(number))
    }
}

/// Tells whether a connection has sent a `CONNECT` or a request.
private final class TakeoverHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let server: TakeoverServer
    private var text = ""

    init(server: TakeoverServer) {
        self.server = server
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.text += String(buffer: self.unwrapInboundIn(data))
        if self.text.hasPrefix("CONNECT "), self.text.hasSuffix("\r\n\r\n") {
            self.text = ""
            self.server.connect(context.channel)
        } else if self.text.hasSuffix("\r\n\r\n" + TakeoverServer.body) {
            self.text = ""
            self.server.request()
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
