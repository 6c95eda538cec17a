import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

/// Hummingbird's HTTP/1.1 connection, with TLS before it where there is a certificate, and its guard within.
struct ServerChannel: ServerChildChannel {
    let base: HTTP1Channel
    let limits: ConnectionLimits
    let register: ConnectionRegister
    let certificate: ServerCertificate?
    let onRefusal: @Sendable (ProblemCode, String) -> Void

    init(
        responder: @escaping HTTPChannelHandler.Responder,
        limits: ConnectionLimits,
        register: ConnectionRegister,
        certificate: ServerCertificate?,
        onRefusal: @escaping @Sendable (ProblemCode, String) -> Void
    ) {
        self.base = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: Limits.headBytes,
                    maxHeaderListSize: Limits.headBytes,
                    maxHeaderFieldCount: Limits.headerFields
                )
            )
        )
        self.limits = limits
        self.register = register
        self.certificate = certificate
        self.onRefusal = onRefusal
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let admission = self.register.register(channel)
        return channel.eventLoop.makeCompletedFuture {
            guard let certificate = self.certificate else { return }
            // A connection that is refused gets not even a handshake, which costs most of all.
            try channel.pipeline.syncOperations.addHandler(
                admission == .taken ? NIOSSLServerHandler(context: certificate.context) : ClosingHandler()
            )
        }
        .flatMap { self.base.setup(channel: channel, logger: logger) }
        .flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let guardian = ConnectionGuard(
                limits: self.limits,
                admission: admission,
                closesOutput: self.certificate == nil,
                onRefusal: self.onRefusal
            )
            try pipeline.addHandler(guardian, position: .after(parser))
            try pipeline.addHandler(ByteWatch(guardian: guardian), position: .before(parser))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await self.base.handle(value: value, logger: logger)
    }
}

/// Counts the raw bytes of a connection before they are parsed: a head that drips, or has no end, is seen by them
/// alone.
private final class ByteWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let guardian: ConnectionGuard

    init(guardian: ConnectionGuard) {
        self.guardian = guardian
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = self.unwrapInboundIn(data).readableBytes
        let steps = self.guardian.progress.steps
        // Parsed first: afterwards it is known whether the head is whole.
        context.fireChannelRead(data)
        self.guardian.bytesArrived(count, after: steps)
    }
}

/// Closes a connection as soon as it is open.
private final class ClosingHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        context.close(promise: nil)
    }
}
