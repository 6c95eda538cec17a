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
                    maxHeaderFieldSize: limits.headBytes,
                    maxHeaderListSize: limits.headBytes,
                    maxHeaderFieldCount: limits.headerCount
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
            // Of one that is refused not even the handshake is made: it costs most of all.
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
