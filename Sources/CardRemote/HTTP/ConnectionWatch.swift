import NIOCore
import NIOHTTP1

/// Keeps answers that no request asked for away from the requests of one connection.
///
/// async-http-client gives whatever comes in to the request that is under way. A server that answers once too often
/// would so decide about the next card. Three rules prevent it, and a connection that breaks one is closed:
///
/// - What comes while no request is under way belongs to none. So that this holds for bytes that were read together with
///   the end of an answer, that end is passed on after all of them.
/// - On a connection that had a request before, an answer that begins before the request is written out is not believed.
///   The form did not leave whole, so the remote cannot have applied it.
/// - On a new connection such an answer can only be meant for this request: it refuses the rest of the form.
///
/// An answer that comes once too often *after* the next request was written out cannot be told apart.
final class ConnectionWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The name of a header that marks an answer on a connection that had a request before; no server can send it.
    static let reusedMark = ":reused"

    /// An answer that is not one to the request, which did not leave whole.
    struct UnaskedAnswer: Error {}

    /// A refusal that came before the form was written out, and has ended.
    struct EarlyRefusal: Error {}

    private var context: ChannelHandlerContext?
    private var requests = 0
    /// Whether a request is under way whose answer has not ended.
    private var isBusy = false
    /// Whether the head of its answer has come.
    private var isAnswered = false
    /// Whether an interim answer (1xx) to it has begun and not ended.
    private var isInterim = false
    /// The bytes of its body that the socket has not taken.
    private var unsentBytes = 0
    /// Whether something came unasked: nothing more is read or written.
    private var isSpoilt = false
    private var isReading = false
    private var heldEnd: HTTPClientResponsePart?

    /// Puts a watch into the pipeline of a connection, before its first request.
    static func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let watch = ConnectionWatch()
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(watch, position: .after(decoder))
        let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
        try pipeline.addHandler(Bytes(watch: watch), position: .before(encoder))
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: Requests

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = self.unwrapOutboundIn(data) { self.begin(head, context: context) }
        guard !self.isSpoilt else {
            promise?.fail(UnaskedAnswer())
            return
        }
        guard case .body(let part) = self.unwrapOutboundIn(data) else {
            context.write(data, promise: promise)
            return
        }
        let written = promise ?? context.eventLoop.makePromise()
        let count = part.readableBytes
        written.futureResult.assumeIsolated().whenSuccess { self.unsentBytes -= count }
        context.write(data, promise: written)
    }

    private func begin(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        self.requests += 1
        self.isBusy = true
        self.isAnswered = false
        self.isInterim = false
        self.unsentBytes = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
        guard self.isSpoilt else { return }
        // After this call, so that the library is not called back while it calls.
        context.eventLoop.assumeIsolated().execute { context.fireErrorCaught(UnaskedAnswer()) }
    }

    // MARK: Answers

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isSpoilt else { return }
        switch self.unwrapInboundIn(data) {
        case .head(let head) where head.status.code < 200 && head.status != .switchingProtocols:
            self.isInterim = false
            context.fireChannelRead(data)
        case .head(var head):
            guard !self.isUnasked else { return self.spoil() }
            self.isAnswered = true
            if self.requests > 1 { head.headers.add(name: Self.reusedMark, value: "") }
            context.fireChannelRead(self.wrapInboundOut(.head(head)))
        case .body: context.fireChannelRead(data)
        case .end:
            self.heldEnd = self.unwrapInboundIn(data)
            if !self.isReading { self.passEnd() }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if self.heldEnd != nil, error is HTTPParserError || error is NIOHTTPDecoderError {
            // The answer was good; what was read after it is not HTTP, or answers nothing.
            self.isSpoilt = true
        } else {
            context.fireErrorCaught(error)
        }
    }

    /// Whether an answer that begins now was not asked for by the request under way.
    private var isUnasked: Bool { self.requests > 1 && !self.isAnswered && self.unsentBytes > 0 }

    private func spoil() {
        self.isSpoilt = true
        // The library fails the request, stops writing and closes the connection.
        self.context?.fireErrorCaught(UnaskedAnswer())
    }

    private func passEnd() {
        guard let end = self.heldEnd, let context = self.context else { return }
        self.heldEnd = nil
        if self.unsentBytes > 0 {
            // The library would wait for the rest of the body to be taken, up to the deadline.
            context.fireChannelReadComplete()
            context.fireErrorCaught(EarlyRefusal())
            return
        }
        self.isBusy = false
        context.fireChannelRead(self.wrapInboundOut(end))
        guard self.isSpoilt else { return }
        // After the library has begun the next request, if it does: that is failed, and closes the connection.
        context.eventLoop.assumeIsolated().execute {
            if !self.isBusy { context.close(promise: nil) }
        }
    }

    /// The end of the watch that sees bytes as they come, before they are HTTP.
    private final class Bytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private static let interim = "HTTP/1.1 1"

        private let watch: ConnectionWatch

        init(watch: ConnectionWatch) { self.watch = watch }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !self.watch.isSpoilt else { return }
            guard self.watch.isBusy else {
                self.watch.isSpoilt = true
                context.close(promise: nil)
                return
            }
            if self.watch.isUnasked, !self.watch.isInterim {
                let start = self.unwrapInboundIn(data).readableBytesView.prefix(Self.interim.utf8.count)
                guard start.elementsEqual(Self.interim.utf8) else { return self.watch.spoil() }
                self.watch.isInterim = true
            }
            self.watch.isReading = true
            context.fireChannelRead(data)
            self.watch.isReading = false
            self.watch.passEnd()
        }
    }
}
