import NIOCore
import NIOPosix

/// One client of the proxy: reads its `CONNECT`, then passes bytes on.
final class ConnectProxyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: ConnectProxy
    private var buffer = ByteBuffer()
    private var isConnecting = false
    private var target: (any Channel)?

    init(proxy: ConnectProxy) {
        self.proxy = proxy
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = self.unwrapInboundIn(data)
        if let target = self.target { return target.writeAndFlush(incoming, promise: nil) }
        self.buffer.writeBuffer(&incoming)
        guard !self.isConnecting else { return }
        let end = self.buffer.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8))
        guard let end, let head = self.buffer.readString(length: end.upperBound - self.buffer.readerIndex) else {
            return
        }
        self.isConnecting = true
        self.connect(ReceivedRequest(connection: 0, number: 0, head: String(head.dropLast(1))), context: context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.target?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func connect(_ request: ReceivedRequest, context: ChannelHandlerContext) {
        let authorization = request.header("Proxy-Authorization")
        let (host, port) = self.proxy.note(target: request.path, authorization: authorization)
        if let refusal = self.proxy.refusal { return self.refuse(refusal, context: context) }
        guard self.proxy.authorization == nil || self.proxy.authorization == authorization else {
            let challenge = ["Proxy-Authenticate: Basic realm=\"specimen\""]
            return self.refuse(FaultReply("407 Proxy Authentication Required", headers: challenge), context: context)
        }
        let client = context.channel
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectProxyReturn(to: client))
                }
            }
            .connect(host: host, port: port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel): self.open(channel, context: context)
                case .failure: self.refuse(FaultReply("502 Bad Gateway"), context: context)
                }
            }
    }

    private func open(_ channel: any Channel, context: ChannelHandlerContext) {
        self.target = channel
        let reply = ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n")
        context.writeAndFlush(self.wrapOutboundOut(reply), promise: nil)
        if self.buffer.readableBytes > 0 { channel.writeAndFlush(self.buffer, promise: nil) }
    }

    private func refuse(_ reply: FaultReply, context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: reply.bytes)), promise: nil)
        context.close(promise: nil)
    }
}

/// The way back through a tunnel.
private final class ConnectProxyReturn: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(to client: any Channel) {
        self.client = client
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.client.writeAndFlush(self.unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.client.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
