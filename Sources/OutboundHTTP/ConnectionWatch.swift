import NIOCore

/// Counts what goes through a connection.
final class ConnectionWatch: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData

    private let facts: ConnectionFacts
    private let register: ConnectionRegister

    init(_ facts: ConnectionFacts, register: ConnectionRegister) {
        self.facts = facts
        self.register = register
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.facts.write(self.unwrapOutboundIn(data).readableBytes)
        self.register.use(self.facts)
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.facts.receive(self.unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.register.forget(self.facts)
        context.fireChannelInactive()
    }
}
