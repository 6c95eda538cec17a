import HTTPTypes
import NIOCore
import NIOHTTP1

/// An event for the guard of a connection, about the request that is being answered.
enum ConnectionSignal: Sendable {
    /// The request has a valid token or signature.
    case authenticated(as: String)
    /// The body is about to be read: a client that waits is sent 100 (RFC 9110 section 10.1.1).
    case readsBody
    /// The body must be complete after this time.
    case limitsBody(Duration)
    /// The rest of the body is no longer waited for, for this reason.
    case endsBody(Problem)
}

/// Enforces the limits of one connection: times, sizes, refusals before and within a request, and how it closes.
///
/// It comes directly after the HTTP parser. Hummingbird itself handles pipelined requests, back-pressure, and the
/// closing of idle connections at shutdown.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    let server: ServerChannel
    private let acceptance: ConnectionRegister.Acceptance
    var progress: ConnectionProgress
    var context: ChannelHandlerContext?
    var timer: (task: Scheduled<Void>, at: Duration)?
    /// Whether the client waits for a 100 before it sends the body.
    var awaitsContinue = false
    /// Whether the current answer has a final head: then no other answer is possible.
    var hasFinalHead = false

    /// - Parameter acceptance: whether the connection is within the limits, or is answered that there are too many.
    init(_ server: ServerChannel, acceptance: ConnectionRegister.Acceptance) {
        self.server = server
        self.acceptance = acceptance
        self.progress = ConnectionProgress(limits: server.limits, at: Self.now)
    }

    /// The monotonic time as a duration since NIO's epoch.
    static var now: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { self.begin() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer?.task.cancel()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        self.begin()
    }

    private func begin() {
        switch self.acceptance {
        case .accepted: self.schedule()
        case .refused: self.refuse(Problem(.connectionsExhausted, retryAfter: .seconds(5)))
        case .dropped: self.context?.close(promise: nil)
        }
    }

    // MARK: Input

    /// Accounts for raw bytes after they were parsed.
    ///
    /// - Parameter steps: the number of heads and ends of requests before the bytes. If there are more now, the share of
    ///   the next head is unknown, so these bytes are not counted.
    func bytesArrived(_ count: Int, after steps: Int) {
        guard self.progress.steps == steps, !self.progress.isInBody, self.progress.lingersSince == nil,
            !self.progress.ignoresInput
        else { return }
        if self.progress.receivePartOfHead(count, at: Self.now) { self.refuse(Problem(.headerTooLarge)) }
        self.schedule()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.progress.lingersSince == nil, !self.progress.ignoresInput else { return }
        var part = self.unwrapInboundIn(data)
        switch part {
        case .head(var head):
            if self.progress.isEnding { return self.progress.ignoresInput = true }
            self.progress.receiveHead()
            head.uri = Self.path(of: head.uri)
            part = .head(head)
            if let problem = self.problem(of: head) { return self.refuse(problem, at: head) }
            // An upgrade is never accepted, but NIO's parser reads nothing after a request that offers one.
            let offersUpgrade = head.headers.contains(name: "upgrade") || head.method == .CONNECT
            if offersUpgrade || !head.isKeepAlive { self.progress.closeAfterAnswers() }
            // HTTP/1.0 clients would take 100 for the answer, so their field is ignored (RFC 9110 section 10.1.1).
            self.awaitsContinue = head.version.minor > 0 && head.headers.contains(name: "expect")
        case .body(let bytes):
            self.awaitsContinue = false
            self.progress.receiveBody(bytes.readableBytes, at: Self.now)
        case .end: self.progress.receiveEnd(at: Self.now)
        }
        context.fireChannelRead(self.wrapInboundOut(part))
        self.schedule()
    }

    /// The path of a target in absolute form, which a server must accept, too (RFC 9112 section 3.2.2).
    private static func path(of target: String) -> String {
        guard target.hasPrefix("http://") || target.hasPrefix("https://") else { return target }
        let remaining = target.split(separator: ":", maxSplits: 1)[1].dropFirst(2)
        return remaining.firstIndex(of: "/").map { String(remaining[$0...]) } ?? "/"
    }

    /// An error of a head that the HTTP parser accepted.
    private func problem(of head: HTTPRequestHead) -> Problem? {
        if head.version.major != 1 { return Problem(.versionUnsupported) }
        if head.uri.utf8.count > Limits.targetBytes { return Problem(.targetTooLong) }
        let hosts = head.headers["host"].count
        if hosts > 1 || (hosts == 0 && head.version.minor > 0) { return Problem(.requestMalformed, .requestHost) }
        guard head.uri.utf8.first == UInt8(ascii: "/") else { return Problem(.requestMalformed, .requestTarget) }
        // Both give the length of the body; receivers that disagree on which counts see different requests.
        if head.headers.contains(name: "transfer-encoding"), head.headers.contains(name: "content-length") {
            return Problem(.requestMalformed, .requestLength)
        }
        if head.headers["expect"].contains(where: { $0.lowercased() != "100-continue" }) {
            return Problem(.expectationUnknown)
        }
        return nil
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // While lingering, input is discarded without a reader that asks for it.
        if self.progress.lingersSince != nil { context.read() }
    }

    func read(context: ChannelHandlerContext) {
        self.progress.beginWaiting(at: Self.now)
        context.read()
        self.schedule()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        if self.progress.lingersSince != nil { return context.close(promise: nil) }
        if self.progress.isInBody { return self.endBodyEarly(context) }
        guard self.progress.unanswered == 0 else {
            // The requests before the malformed input are answered first.
            return self.progress.closeAfterAnswers()
        }
        switch error as? HTTPParserError {
        case .headerOverflow: self.refuse(Problem(.headerTooLarge))
        case .invalidVersion: self.refuse(Problem(.versionUnsupported))
        case .invalidEOFState: context.close(promise: nil)
        default: self.refuse(Problem(.requestMalformed))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event, self.progress.isInBody { self.endBodyEarly(context) }
        if case ChannelEvent.inputClosed = event, self.progress.lingersSince != nil {
            return context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timer?.task.cancel()
        if self.progress.isInBody { self.endBodyEarly(context) }
        context.fireChannelInactive()
    }

    /// Reports a truncated body: otherwise Hummingbird treats the end of a connection as the end of a body.
    private func endBodyEarly(_ context: ChannelHandlerContext) {
        self.progress.closeAfterAnswers()
        context.fireErrorCaught(Problem.bodyTruncated)
    }
}
