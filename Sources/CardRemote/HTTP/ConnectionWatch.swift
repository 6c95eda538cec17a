import Glibc
import NIOCore
import NIOHTTP1

/// Keeps an extra answer of a server, which no request asked for, from being taken for the answer to the next request.
///
/// async-http-client gives every incoming answer to the current request, so an extra answer would decide about another card.
/// Three rules prevent this:
///
/// - If anything was received between two requests, the next request fails before its first byte is sent. This includes bytes
///   read together with the end of an answer, and bytes that the socket holds unread.
/// - On a reused connection, if an answer begins before the whole request is written, the request fails. The remote cannot have
///   applied the request, because it has not received all of it.
/// - On a new connection, an early answer must belong to the request: it refuses the rest of the form.
///
/// An extra answer that comes *after* the next request was written cannot be recognised.
final class ConnectionWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The name of a header that marks an answer on a reused connection; no server can send it.
    static let reusedMark = ":reused"

    /// `spoilt`: the connection carries no further request.
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
        // Added between decoder and watch, so that the watch sees the parts that the filter passes on.
        try HeadFilter.add(to: channel, for: .texts)
        let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
        try pipeline.addHandler(Bytes(watch: watch), position: .before(encoder))
    }

    /// Writes a part of a request, or fails the request if an answer has come too early.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch self.unwrapOutboundIn(data) {
        case .head(let head):
            self.requests += 1
            self.unsentBytes = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
            if self.state == .spoilt || self.hasEarlyAnswer(context) { return self.spoil(context, promise) }
            self.state = .inRequest
            context.write(data, promise: promise)
        case .body(let part):
            if self.hasEarlyAnswer(context) { return self.spoil(context, promise) }
            let count = part.readableBytes
            let accepted = promise ?? context.eventLoop.makePromise()
            accepted.futureResult.assumeIsolated().whenSuccess { self.unsentBytes -= count }
            context.write(data, promise: accepted)
        case .end: context.write(data, promise: promise)
        }
    }

    /// Passes on an answer to the current request; marks it on a reused connection.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.state == .inRequest else { return }
        switch self.unwrapInboundIn(data) {
        case .head(var head):
            if self.requests > 1 { head.headers.add(name: Self.reusedMark, value: "") }
            context.fireChannelRead(self.wrapInboundOut(.head(head)))
        case .body: context.fireChannelRead(data)
        case .end where self.unsentBytes > 0 || self.moreFollows:
            // An error instead of the end, so that async-http-client closes the connection. After the end it would give the
            // connection to the next request, or wait up to the deadline for the socket to accept the rest of the body.
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

    /// Whether an answer would come too early: the connection is reused, and the request's body is not completely written.
    private var isTooEarly: Bool { self.requests > 1 && self.unsentBytes > 0 }

    /// Whether the socket holds an answer that comes too early: unread bytes, or the end of the stream. This asks
    /// the socket: as long as writing never has to wait, the event loop only writes, and would not notice the answer.
    private func hasEarlyAnswer(_ context: ChannelHandlerContext) -> Bool {
        guard self.isTooEarly else { return false }
        let socket = NIOBSDSocket.Handle.self
        let found = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: socket) { socket in
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) > 0
        }
        return found ?? false
    }

    /// The part of the watch that sees bytes before they are parsed, so that it notices even an incomplete head.
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

        /// Passes the last byte separately: if the answer ends before it, more bytes follow the answer.
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
