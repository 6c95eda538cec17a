import NIOCore

/// One connection of the fault server: counts its bytes, cuts them into requests, and does what the scripts say.
final class FaultConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A request of which the head is known.
    struct Exchange {
        let index: Int
        let script: FaultScript
        var missing: Int
        var taken = 0
    }

    enum Progress {
        case idle
        case head(FaultScript, number: Int)
        case body(Exchange)
        /// Nothing more is done with what comes.
        case ended
    }

    let server: FaultServer
    private let number: Int
    private var buffer = ByteBuffer()
    private var bytes = 0
    private var replies = 0
    var progress = Progress.idle
    /// The script by which reading is slowed down; `nil` if it is not.
    var slow: SlowReading?

    init(server: FaultServer, number: Int) {
        self.server = server
        self.number = number
    }

    func channelActive(context: ChannelHandlerContext) {
        if let greeting = self.server.options.greeting { self.write(FaultReply(raw: greeting), context: context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = self.unwrapInboundIn(data)
        self.bytes += incoming.readableBytes
        self.buffer.writeBuffer(&incoming)
        var goesOn = true
        while goesOn {
            switch self.progress {
            case .idle: goesOn = self.begin(context: context)
            case .head(let script, let number): goesOn = self.readHead(script, number: number, context: context)
            case .body(let exchange): goesOn = self.readBody(exchange, context: context)
            case .ended:
                self.buffer.clear()
                goesOn = false
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.slow = nil
        self.server.options.connectionEnded?(self.number)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Begins a request with its first byte; returns whether there is more to do at once.
    private func begin(context: ChannelHandlerContext) -> Bool {
        guard self.buffer.readableBytes > 0 else { return false }
        let (number, script) = self.server.beginRequest(on: self.number)
        if case .endsAtNextRequest(let limit, let ending) = self.server.options.connectionLife, self.replies >= limit {
            self.end(by: ending, context: context)
            return true
        }
        self.progress = .head(script, number: number)
        return true
    }

    private func readHead(_ script: FaultScript, number: Int, context: ChannelHandlerContext) -> Bool {
        let end = self.buffer.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8))
        guard let end, let head = self.buffer.readString(length: end.upperBound - self.buffer.readerIndex) else {
            return self.act(on: script, bodyBytes: nil, context: context)
        }
        let request = ReceivedRequest(connection: self.number, number: number, head: String(head.dropLast(1)))
        let index = self.server.note(request)
        self.progress = .body(Exchange(index: index, script: script, missing: request.announcedLength ?? 0))
        switch script {
        case .earlyReply(let reply, let then): self.replyEarly(reply, then: then, context: context)
        case .atHead(let action, _): action()
        case .slow(let slow, _): self.slowDown(slow, context: context)
        default: break
        }
        return true
    }

    private func readBody(_ current: Exchange, context: ChannelHandlerContext) -> Bool {
        var exchange = current
        let count = min(exchange.missing, self.buffer.readableBytes)
        if let slice = self.buffer.readSlice(length: count), count > 0 {
            self.server.append(slice.readableBytesView, to: exchange.index)
        }
        self.buffer.discardReadBytes()
        exchange.missing -= count
        exchange.taken += count
        self.progress = .body(exchange)
        if let limit = self.slow?.slowBytes, exchange.taken >= limit { self.speedUp(context: context) }
        if self.act(on: exchange.script, bodyBytes: exchange.taken, context: context) { return true }
        guard exchange.missing == 0 else { return false }
        self.progress = .idle
        self.speedUp(context: context)
        self.finish(exchange, context: context)
        return true
    }

    /// Does what the script wants at a point, if it is reached; returns whether something was done.
    private func act(on script: FaultScript, bodyBytes: Int?, context: ChannelHandlerContext) -> Bool {
        switch script {
        case .reset(let point) where self.isReached(point, bodyBytes: bodyBytes):
            self.end(by: .reset, context: context)
        case .stall(let point) where self.isReached(point, bodyBytes: bodyBytes):
            self.progress = .ended
            context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
        default: return false
        }
        return true
    }

    private func isReached(_ point: FaultPoint, bodyBytes: Int?) -> Bool {
        switch point {
        case .connectionByte(let count): self.bytes >= count
        case .bodyByte(let count): bodyBytes.map { $0 >= count } ?? false
        case .requestEnd: false
        }
    }

    /// Writes a reply and counts it.
    func reply(_ reply: FaultReply, context: ChannelHandlerContext) {
        self.write(reply, context: context)
        self.replies += 1
        guard case .closesIdle(let limit, let idle) = self.server.options.connectionLife, self.replies >= limit else {
            return
        }
        let channel = context.channel
        context.eventLoop.scheduleTask(in: .milliseconds(Int64(idle))) { channel.close(promise: nil) }
    }

    func write(_ reply: FaultReply, context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: reply.bytes)), promise: nil)
    }
}
