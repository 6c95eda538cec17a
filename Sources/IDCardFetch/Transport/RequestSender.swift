import NIOCore
import NIOHTTP1

/// Sends a request without body as soon as the connection is open.
final class RequestSender: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let head: HTTPRequestHead

    init(_ head: HTTPRequestHead) {
        self.head = head
    }

    func channelActive(context: ChannelHandlerContext) {
        // Before the handshake of TLS is over its handler keeps this back.
        context.write(self.wrapOutboundOut(.head(self.head)), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }
}
