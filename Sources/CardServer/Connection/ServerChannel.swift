import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

/// Hummingbird's HTTP/1.1 connection, behind TLS if there is a certificate, with a guard.
struct ServerChannel: ServerChildChannel {
    let base: HTTP1Channel
    let limits: ConnectionLimits
    let register: ConnectionRegister
    let certificate: ServerCertificate?
    /// Called for input that never becomes a request, with the problem and the request id of the answer.
    let onRefusal: @Sendable (ProblemCode, String) -> Void

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let registered = self.register.register(channel)
        // A refused connection gets no TLS handshake, which costs most of all.
        let acceptance = self.certificate != nil && registered == .refused ? .dropped : registered
        return channel.eventLoop.makeCompletedFuture {
            guard let certificate = self.certificate, acceptance == .accepted else { return }
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: certificate.context))
        }
        .flatMap { self.base.setup(channel: channel, logger: logger) }
        .flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let guardian = ConnectionGuard(self, acceptance: acceptance)
            try pipeline.addHandler(guardian, position: .after(parser))
            try pipeline.addHandler(ByteWatch(guardian: guardian), position: .before(parser))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await self.base.handle(value: value, logger: logger)
    }
}

/// Counts the raw bytes of a connection before they are parsed: only they show a head that is slow or endless.
private final class ByteWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let guardian: ConnectionGuard

    init(guardian: ConnectionGuard) { self.guardian = guardian }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = self.unwrapInboundIn(data).readableBytes
        let steps = self.guardian.progress.steps
        // Parse first: only then is it known whether the head is complete.
        context.fireChannelRead(data)
        self.guardian.bytesArrived(count, after: steps)
    }
}
