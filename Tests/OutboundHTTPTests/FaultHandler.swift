import Glibc
import NIOCore
import NIOPosix

/// One connection of the fault server.
final class FaultHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Progress {
        case head
        case body(index: Int, script: FaultScript, missing: Int, taken: Int)
        case ended
    }

    private let server: FaultServer
    private let connection: Int
    private var buffer = ByteBuffer()
    private var progress = Progress.head

    init(server: FaultServer, connection: Int) {
        self.server = server
        self.connection = connection
    }

    func channelActive(context: ChannelHandlerContext) {
        if let greeting = self.server.greeting { self.write(greeting, context: context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.buffer.writeImmutableBuffer(self.unwrapInboundIn(data))
        if case .head = self.progress { self.readHead(context: context) }
        if case .body = self.progress { self.readBody(context: context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func readHead(context: ChannelHandlerContext) {
        let end = self.buffer.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8))
        guard let end, let head = self.buffer.readString(length: end.upperBound - self.buffer.readerIndex) else {
            return
        }
        let request = FaultServer.Received(connection: self.connection, head: String(head.dropLast(2)))
        let (index, script) = self.server.begin(request)
        self.progress = .body(index: index, script: script, missing: request.announcedLength ?? 0, taken: 0)
        switch script {
        case .earlyReply(let text, let then): self.replyEarly(text, then: then, context: context)
        case .atHead(let action, _): action()
        default: break
        }
    }

    private func readBody(context: ChannelHandlerContext) {
        guard case .body(let index, let script, var missing, var taken) = self.progress else { return }
        let bytes = self.buffer.readBytes(length: min(missing, self.buffer.readableBytes)) ?? []
        self.server.append(bytes, to: index)
        missing -= bytes.count
        taken += bytes.count
        self.progress = .body(index: index, script: script, missing: missing, taken: taken)
        if case .reset(let limit) = script, taken >= limit { return self.reset(context: context) }
        if missing == 0 { self.end(script, context: context) }
    }

    private func end(_ script: FaultScript, context: ChannelHandlerContext) {
        self.progress = .head
        switch script {
        case .reply(let text), .atHead(_, let text):
            self.write(text, context: context)
        case .replyAndClose(let text):
            self.write(text, context: context)
            context.close(promise: nil)
        case .replyAndReset(let text):
            self.write(text, context: context)
            self.reset(context: context)
        case .drip(let text):
            for byte in text.utf8 { self.write(String(UnicodeScalar(byte)), context: context) }
        case .close:
            context.close(promise: nil)
        case .reset, .silence, .earlyReply:
            self.progress = .ended
        }
    }

    private func replyEarly(_ text: String, then: FaultScript.AfterEarlyReply, context: ChannelHandlerContext) {
        self.write(text, context: context)
        switch then {
        case .drain: break
        case .close: context.close(promise: nil)
        case .halfClose:
            context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
            context.close(mode: .output, promise: nil)
        case .stall: context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
        }
    }

    private func reset(context: ChannelHandlerContext) {
        self.progress = .ended
        let channel = context.channel
        // Closing with a linger time of zero sends RST instead of FIN.
        let lingering = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        lingering?.whenComplete { _ in channel.close(promise: nil) }
    }

    private func write(_ text: String, context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }
}
