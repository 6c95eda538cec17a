import Glibc
import NIOCore
import NIOPosix

extension FaultConnection {
    /// Does what the script wants when the request is complete.
    func finish(_ exchange: Exchange, context: ChannelHandlerContext) {
        switch exchange.script {
        case .reply(let reply), .atHead(_, let reply), .slow(_, let reply):
            self.reply(reply, context: context)
        case .answer(let answer):
            self.reply(answer(self.server.request(at: exchange.index)), context: context)
        case .answerThen(let answer):
            let (reply, ending) = answer(self.server.request(at: exchange.index))
            // Once all of it is written: closing drops what still waits for room in the socket.
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: reply.bytes))).assumeIsolated()
                .whenComplete { _ in self.end(by: ending, context: context) }
        case .throttled(let gate, let answer):
            self.pass(gate, exchange, answer: answer, context: context)
        case .replyAndClose(let reply):
            self.reply(reply, context: context)
            context.close(promise: nil)
        case .replyAndReset(let reply):
            self.reply(reply, context: context)
            self.end(by: .reset, context: context)
        case .drip(let reply, let pause):
            self.drip(reply.bytes[...], pauseMilliseconds: Int64(pause), context: context)
        case .commit(let commit, let ending):
            commit(self.server.request(at: exchange.index))
            self.end(by: ending, context: context)
        case .close: self.end(by: .close, context: context)
        case .reset: self.end(by: .reset, context: context)
        case .stall:
            self.progress = .ended
            context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
        case .silence, .earlyReply: self.progress = .ended
        }
    }

    /// Ends the connection without a reply.
    func end(by ending: FaultScript.Ending, context: ChannelHandlerContext) {
        self.progress = .ended
        let channel = context.channel
        switch ending {
        case .silence: break
        case .close: context.close(promise: nil)
        case .reset:
            // Closing with a linger time of zero sends RST instead of FIN.
            let lingering = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            lingering?.whenComplete { _ in channel.close(promise: nil) }
        }
    }

    func replyEarly(_ reply: FaultReply, then: FaultScript.AfterEarlyReply, context: ChannelHandlerContext) {
        self.reply(reply, context: context)
        switch then {
        case .drain: break
        case .close: context.close(promise: nil)
        case .halfClose:
            context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
            context.close(mode: .output, promise: nil)
        case .stall: context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
        }
    }

    /// Answers behind a gate: late if it lets the request in, at once if it does not.
    private func pass(
        _ gate: ConcurrencyGate,
        _ exchange: Exchange,
        answer: @escaping @Sendable (ReceivedRequest) -> FaultReply,
        context: ChannelHandlerContext
    ) {
        guard gate.enter() else { return self.reply(.concurrencyLimitExceeded, context: context) }
        let request = self.server.request(at: exchange.index)
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(gate.holdingMilliseconds))) {
            // First out of the gate: who has the answer may come again at once.
            gate.leave()
            self.reply(answer(request), context: context)
        }
    }

    private func drip(_ bytes: ArraySlice<UInt8>, pauseMilliseconds: Int64, context: ChannelHandlerContext) {
        guard let first = bytes.first, context.channel.isActive else { return }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: [first])), promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(pauseMilliseconds)) {
            self.drip(bytes.dropFirst(), pauseMilliseconds: pauseMilliseconds, context: context)
        }
    }

    // MARK: Slow reading

    /// Reads step by step from now on.
    func slowDown(_ slow: SlowReading, context: ChannelHandlerContext) {
        self.slow = slow
        let channel = context.channel
        let allocator = FixedSizeRecvByteBufferAllocator(capacity: slow.bytesPerStep)
        channel.setOption(.recvAllocator, value: allocator).whenComplete { _ in }
        channel.setOption(.maxMessagesPerRead, value: 1).whenComplete { _ in }
        channel.setOption(.autoRead, value: false).whenComplete { _ in }
        self.readLater(context: context)
    }

    private func readLater(context: ChannelHandlerContext) {
        guard let slow = self.slow, context.channel.isActive else { return }
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(slow.stepMilliseconds))) {
            guard self.slow != nil else { return }
            context.read()
            self.readLater(context: context)
        }
    }

    /// Reads at full speed again.
    func speedUp(context: ChannelHandlerContext) {
        guard self.slow != nil else { return }
        self.slow = nil
        let channel = context.channel
        channel.setOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator()).whenComplete { _ in }
        channel.setOption(.maxMessagesPerRead, value: 4).whenComplete { _ in }
        channel.setOption(.autoRead, value: true).whenComplete { _ in }
    }
}
