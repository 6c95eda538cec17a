import Glibc
import NIOCore
import NIOPosix

/// One connection of the fault server: cuts its bytes into requests, and does what the scripts say.
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
    var progress = Progress.idle

    init(server: FaultServer, number: Int) {
        self.server = server
        self.number = number
    }

    func channelActive(context: ChannelHandlerContext) {
        if let greeting = self.server.options.greeting { self.write(FaultReply(raw: greeting), context: context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = self.unwrapInboundIn(data)
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

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Begins a request with its first byte; returns whether there is more to do at once.
    private func begin(context: ChannelHandlerContext) -> Bool {
        guard self.buffer.readableBytes > 0 else { return false }
        let (number, script) = self.server.beginRequest(on: self.number)
        self.progress = .head(script, number: number)
        return true
    }

    private func readHead(_ script: FaultScript, number: Int, context: ChannelHandlerContext) -> Bool {
        let end = self.buffer.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8))
        guard let end, let head = self.buffer.readString(length: end.upperBound - self.buffer.readerIndex) else {
            return false
        }
        let request = ReceivedRequest(connection: self.number, number: number, head: String(head.dropLast(1)))
        let index = self.server.note(request)
        self.progress = .body(Exchange(index: index, script: script, missing: request.announcedLength ?? 0))
        if case .earlyReply(let reply, let then) = script { self.replyEarly(reply, then: then, context: context) }
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
        if self.act(on: exchange.script, bodyBytes: exchange.taken, context: context) { return true }
        guard exchange.missing == 0 else { return false }
        self.progress = .idle
        self.finish(exchange, context: context)
        return true
    }

    /// Does what the script wants at a point, if it is reached; returns whether something was done.
    private func act(on script: FaultScript, bodyBytes: Int, context: ChannelHandlerContext) -> Bool {
        switch script {
        case .reset(let count) where bodyBytes >= count:
            self.end(by: .reset, context: context)
        case .stall(let count) where bodyBytes >= count:
            self.progress = .ended
            context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
        default: return false
        }
        return true
    }

    private func write(_ reply: FaultReply, context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: reply.bytes)), promise: nil)
    }

    // MARK: Endings

    /// Does what the script wants when the request is complete.
    private func finish(_ exchange: Exchange, context: ChannelHandlerContext) {
        switch exchange.script {
        case .reply(let reply): self.write(reply, context: context)
        case .answer(let answer): self.write(answer(self.server.request(at: exchange.index)), context: context)
        case .replyThenMore(let reply, let more, let sent):
            self.write(reply, context: context)
            self.answer(exchange, by: { _ in await more() }, sent: sent, context: context)
        case .answerLater(let answer): self.answer(exchange, by: answer, context: context)
        case .answerThen(let answer):
            let (reply, ending) = answer(self.server.request(at: exchange.index))
            let channel = context.channel
            if ending != nil { self.progress = .ended }
            // All of it goes out first, however long it is.
            channel.writeAndFlush(ByteBuffer(bytes: reply.bytes)).whenSuccess {
                if let ending { Self.end(channel, by: ending) }
            }
        case .replyAndClose(let reply):
            self.write(reply, context: context)
            context.close(promise: nil)
        case .commit(let commit, let ending):
            commit(self.server.request(at: exchange.index))
            self.end(by: ending, context: context)
        case .close: self.end(by: .close, context: context)
        case .reset: self.end(by: .reset, context: context)
        case .stall, .silence, .earlyReply: self.progress = .ended
        }
    }

    private func answer(
        _ exchange: Exchange,
        by answer: @escaping @Sendable (ReceivedRequest) async -> FaultReply,
        sent: @escaping @Sendable () -> Void = {},
        context: ChannelHandlerContext
    ) {
        let channel = context.channel
        let request = self.server.request(at: exchange.index)
        channel.eventLoop.makeFutureWithTask { await answer(request) }.whenSuccess { reply in
            channel.writeAndFlush(ByteBuffer(bytes: reply.bytes)).whenComplete { _ in sent() }
        }
    }

    /// Ends the connection without a reply.
    private func end(by ending: FaultScript.Ending, context: ChannelHandlerContext) {
        self.progress = .ended
        Self.end(context.channel, by: ending)
    }

    private static func end(_ channel: any Channel, by ending: FaultScript.Ending) {
        switch ending {
        case .silence: break
        case .cutOff:
            let socket = NIOBSDSocket.Handle.self
            try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: socket) {
                _ = shutdown($0, CInt(SHUT_WR))
            }
        case .close: channel.close(promise: nil)
        case .reset:
            // Closing with a linger time of zero sends RST instead of FIN.
            let lingering = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            lingering?.whenComplete { _ in channel.close(promise: nil) }
        }
    }

    private func replyEarly(_ reply: FaultReply, then: FaultScript.AfterEarlyReply, context: ChannelHandlerContext) {
        self.write(reply, context: context)
        switch then {
        case .drain: break
        case .close: context.close(promise: nil)
        case .halfClose:
            context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
            context.close(mode: .output, promise: nil)
        case .stall: context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
        }
    }
}
