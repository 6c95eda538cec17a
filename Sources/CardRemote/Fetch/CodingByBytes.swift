import NIOCore
import NIOHTTP1

/// Says whether an answer is gzip by its first bytes, in place of what the host says of its coding: async-http-client inflates
/// by that word, and hosts of images say `aws-chunked`, `utf-8` or `none`.
final class CodingByBytes: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// A head that waits for the first bytes behind it.
    private var head: HTTPResponseHead?
    private var first = ByteBuffer()

    /// Puts one into the pipeline of a connection, before its first request.
    static func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(CodingByBytes(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            // A part of an image may begin with the same bytes by chance.
            if head.status != .ok { self.pass(context) }
        case .body(var part) where self.head != nil:
            self.first.writeBuffer(&part)
            if self.first.readableBytes >= 2 { self.pass(context) }
        case .body: context.fireChannelRead(data)
        case .end:
            self.pass(context)
            context.fireChannelRead(data)
        }
    }

    private func pass(_ context: ChannelHandlerContext) {
        guard var head = self.head else { return }
        self.head = nil
        head.headers.remove(name: "Content-Encoding")
        if self.first.readableBytesView.starts(with: [0x1F, 0x8B]) {
            head.headers.add(name: "Content-Encoding", value: "gzip")
        }
        context.fireChannelRead(self.wrapInboundOut(.head(head)))
        guard self.first.readableBytes > 0 else { return }
        context.fireChannelRead(self.wrapInboundOut(.body(self.first)))
        self.first = ByteBuffer()
    }
}
