import Glibc
import NIOCore
import NIOHTTP1

/// Separates answers that no request asked for from the requests of one connection.
///
/// async-http-client gives every incoming answer to the current request. An extra answer of a server would so decide about the
/// next card. Three rules prevent it:
///
/// - A connection that received anything between two requests carries no further request: the next one fails before its first
///   byte. Bytes read together with the end of an answer count too, and so do unread bytes in the socket.
/// - On a reused connection, an answer that begins before the whole request is written is not trusted: the request fails. The
///   remote cannot have applied it, as it did not receive all of it.
/// - On a new connection such an answer can only concern this request: it refuses the rest of the form.
///
/// An extra answer that comes *after* the next request was written cannot be recognised.
final class ConnectionWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The name of a header that marks an answer on a reused connection; no server can send it.
    static let reusedMark = ":reused"

    private enum State { case idle, inRequest, spoilt }

    private var state = State.idle
    private var requests = 0
    /// The bytes of the request's body that the socket has not accepted.
    private var unsentBytes = 0
    /// Whether more bytes follow those that are being parsed.
    private var moreFollows = false

    /// Puts a watch into the pipeline of a connection, before its first request.
    static func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let watch = ConnectionWatch()
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(watch, position: .after(decoder))
        // Nearer to the decoder, so that the watch sees the parts that the filter passes on.
        try HeadFilter.add(to: channel, for: .texts)
        let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
        try pipeline.addHandler(Bytes(watch: watch), position: .before(encoder))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch self.unwrapOutboundIn(data) {
        case .head(let head):
            self.requests += 1
            self.unsentBytes = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
            if self.state == .spoilt || self.hasUnasked(context) { return self.spoil(context, promise) }
            self.state = .inRequest
            context.write(data, promise: promise)
        case .body(let part):
            if self.hasUnasked(context) { return self.spoil(context, promise) }
            let count = part.readableBytes
            let taken = promise ?? context.eventLoop.makePromise()
            taken.futureResult.assumeIsolated().whenSuccess { self.unsentBytes -= count }
            context.write(data, promise: taken)
        case .end: context.write(data, promise: promise)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.state == .inRequest else { return }
        switch self.unwrapInboundIn(data) {
        case .head(var head):
            if self.requests > 1 { head.headers.add(name: Self.reusedMark, value: "") }
            context.fireChannelRead(self.wrapInboundOut(.head(head)))
        case .body: context.fireChannelRead(data)
        case .end where self.unsentBytes > 0 || self.moreFollows:
            // After the end of the answer, async-http-client would give the connection to the next request, or wait up to the
            // deadline for the socket to accept the rest of the body. After an error it closes the connection.
            self.state = .spoilt
            context.fireChannelReadComplete()
            context.fireErrorCaught(ExchangeEnd.answerEnded)
        case .end:
            self.state = .idle
            context.fireChannelRead(data)
        }
    }

    /// Fails the current request, if any: async-http-client stops writing, and closes the connection.
    private func spoil(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>? = nil) {
        self.state = .spoilt
        context.fireErrorCaught(ExchangeEnd.unaskedAnswer)
        promise?.fail(ExchangeEnd.unaskedAnswer)
    }

    /// Whether it is too early for the answer: the connection is reused, and the body is not yet written.
    private var isTooEarly: Bool { self.requests > 1 && self.unsentBytes > 0 }

    /// Whether the socket holds unread bytes, or the end of the stream, although it is too early for the answer.
    ///
    /// While a remote accepts everything written, the event loop does not read.
    private func hasUnasked(_ context: ChannelHandlerContext) -> Bool {
        guard self.isTooEarly else { return false }
        let socket = NIOBSDSocket.Handle.self
        let found = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: socket) { socket in
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) > 0
        }
        return found ?? false
    }

    /// The part of the watch that sees bytes before they are parsed, so that it detects even an incomplete head.
    private final class Bytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private let watch: ConnectionWatch

        init(watch: ConnectionWatch) { self.watch = watch }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch self.watch.state {
            case .idle: self.watch.state = .spoilt
            case .inRequest where self.watch.isTooEarly: self.watch.spoil(context)
            case .inRequest: self.pass(self.unwrapInboundIn(data), context)
            case .spoilt: break
            }
        }

        /// Passes the last byte separately: if the answer ends before that byte, other bytes follow the answer.
        private func pass(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
            var last = buffer
            if let remaining = last.readSlice(length: buffer.readableBytes - 1), remaining.readableBytes > 0 {
                self.watch.moreFollows = true
                context.fireChannelRead(self.wrapInboundOut(remaining))
                self.watch.moreFollows = false
            }
            context.fireChannelRead(self.wrapInboundOut(last))
        }
    }
}
