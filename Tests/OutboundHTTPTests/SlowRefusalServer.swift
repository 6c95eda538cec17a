import NIOCore
import NIOPosix

/// A server that takes nothing of a body at first, and then all of it while it slowly refuses it.
enum SlowRefusalServer {
    /// The body of the refusal.
    static let refusal = "too much"

    /// Starts to listen for one request after the other.
    ///
    /// - Parameter length: the length of the body; `nil` takes nothing of it and never answers.
    static func start(bodyLength length: Int?) async throws -> any Channel {
        try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            // Small, so that little lies in the buffers of both sides.
            .serverChannelOption(.socketOption(.so_rcvbuf), value: 16_384)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1024))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SlowRefusalHandler(bodyLength: length))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }
}

/// One connection of the server.
private final class SlowRefusalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bodyLength: Int?
    private var received = 0
    private var headLength: Int?
    private var start = ByteBuffer()

    init(bodyLength: Int?) {
        self.bodyLength = bodyLength
    }

    func channelActive(context: ChannelHandlerContext) {
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = self.unwrapInboundIn(data)
        self.received += incoming.readableBytes
        if self.headLength == nil {
            self.start.writeBuffer(&incoming)
            guard let end = self.start.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else {
                return context.read()
            }
            self.headLength = end.upperBound
            if self.bodyLength != nil { self.refuseSoon(context: context) }
        }
        guard let bodyLength = self.bodyLength, self.received - (self.headLength ?? 0) == bodyLength else { return }
        // Later than an early refusal is waited for.
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1300)) {
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: SlowRefusalServer.refusal)), promise: nil)
        }
    }

    /// Answers once the sender has had the time to fill the buffers, and only then takes what is in them.
    private func refuseSoon(context: ChannelHandlerContext) {
        let length = SlowRefusalServer.refusal.utf8.count
        let head = ByteBuffer(string: "HTTP/1.1 413 Payload Too Large\r\nContent-Length: \(length)\r\n\r\n")
        let channel = context.channel
        let loop = context.eventLoop.assumeIsolated()
        loop.scheduleTask(in: .milliseconds(100)) {
            context.writeAndFlush(self.wrapOutboundOut(head), promise: nil)
            loop.scheduleTask(in: .milliseconds(50)) {
                let allocator = FixedSizeRecvByteBufferAllocator(capacity: 65_536)
                channel.setOption(.recvAllocator, value: allocator).whenComplete { _ in }
                channel.setOption(.autoRead, value: true).whenComplete { _ in }
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
