import NIOCore

/// Counts the raw bytes of a connection before they are parsed: a head that drips, or has no end, is seen by them alone.
final class ByteWatch: ChannelInboundHandler, RemovableChannelHandler {
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
