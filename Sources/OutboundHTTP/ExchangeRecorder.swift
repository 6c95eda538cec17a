import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Writes down how far a request comes, as async-http-client reports it, and keeps the reply within the limit.
final class ExchangeRecorder: HTTPClientResponseDelegate {
    typealias Response = Void

    /// What does not change during the exchange.
    struct Terms: Sendable {
        /// The length of the request body, in bytes.
        var contentLength: UInt64
        /// The limit of the reply body, in bytes.
        var maximumReplyBytes: Int
        /// How long nothing may happen.
        var idle: IdleLimits
        /// Whom to tell of the progress.
        var tracker: UploadProgressTracker?
    }

    /// What is known of the exchange.
    struct Record: Sendable {
        /// Whether the request head was handed to a connection.
        var headSent = false
        /// Whether the whole request was taken by the socket.
        var requestSent = false
        /// The bytes of the request body that the socket has taken.
        var bodyBytesSent: UInt64 = 0
        /// The head of the reply.
        var head: HTTPResponseHead?
        /// The body of the reply so far.
        var body = ByteBuffer()
        /// The connection, once it has the head.
        var connection: ConnectionFacts?
        /// Its counts from before.
        var countsBefore = ConnectionFacts.Counts()

        /// Whether the reply came before the request was written, and says that the rest is not wanted.
        var isEarlyRefusal: Bool { !self.requestSent && (self.head.map { $0.status.code >= 300 } ?? false) }

        /// Whether the body has the announced length; `false` if none was announced.
        var hasAnnouncedLength: Bool { self.head?.announcedLength == self.body.readableBytes }

        /// Whether the connection had served another request before and has given no byte of a reply to this one.
        var isReusedAndSilent: Bool {
            guard let counts = self.connection?.counts else { return false }
            return self.countsBefore.requests > 0 && counts.received == self.countsBefore.received
        }
    }

    /// The reply is longer than the limit.
    struct ReplyTooLarge: Error {}

    /// An early refusal has been read as far as it is waited for.
    struct EarlyRefusal: Error {}

    /// A success was answered before the form was sent.
    struct EarlySuccess: Error {}

    /// How long the body of an early refusal is waited for. Its sender may have closed already, or never will;
    /// async-http-client would wait for the rest of our body to be taken, up to the deadline.
    static let earlyRefusalGrace: TimeAmount = .seconds(1)

    private let terms: Terms
    private let register: ConnectionRegister
    private let state = Mutex(Record())

    /// Makes a recorder for one request.
    init(_ terms: Terms, register: ConnectionRegister) {
        self.terms = terms
        self.register = register
    }

    /// What is known so far.
    var record: Record { self.state.withLock { $0 } }

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        let connection = self.register.latest
        let before = connection?.begin()
        self.state.withLock { record in
            record.headSent = true
            record.connection = connection
            if let before { record.countsBefore = before }
        }
        task.futureResult.whenComplete { _ in connection?.end() }
        self.terms.tracker?.begin(headBytes: before?.lastWrite ?? 0, contentLength: self.terms.contentLength)
        if let connection { self.watchIdleness(of: connection, task: task) }
    }

    func didSendRequestPart(task: HTTPClient.Task<Void>, _ part: IOData) {
        self.state.withLock { $0.bodyBytesSent += UInt64(part.readableBytes) }
        self.terms.tracker?.send(part.readableBytes)
    }

    func didSendRequest(task: HTTPClient.Task<Void>) {
        self.state.withLock { $0.requestSent = true }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let record = self.state.withLock { record in
            record.head = head
            return record
        }
        guard head.announcedLength ?? 0 <= self.terms.maximumReplyBytes else {
            return task.eventLoop.makeFailedFuture(ReplyTooLarge())
        }
        if head.status.code < 300, record.bodyBytesSent < self.terms.contentLength {
            // Who has not seen the form cannot have taken it. Left alone, async-http-client stops writing here and
            // reports success.
            return task.eventLoop.makeFailedFuture(EarlySuccess())
        }
        if record.isEarlyRefusal {
            task.eventLoop.scheduleTask(in: Self.earlyRefusalGrace) {
                // Once the request is out after all, the reply has its own limits.
                guard !self.record.requestSent else { return }
                task.fail(reason: EarlyRefusal())
            }
        }
        self.endEarlyRefusal(record, task: task)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let record = self.state.withLock { record -> Record? in
            guard record.body.readableBytes + buffer.readableBytes <= self.terms.maximumReplyBytes else { return nil }
            record.body.writeImmutableBuffer(buffer)
            return record
        }
        guard let record else { return task.eventLoop.makeFailedFuture(ReplyTooLarge()) }
        self.endEarlyRefusal(record, task: task)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    /// Ends the request once an early refusal is complete.
    private func endEarlyRefusal(_ record: Record, task: HTTPClient.Task<Void>) {
        guard record.isEarlyRefusal, record.hasAnnouncedLength else { return }
        // After this callback, so that the library is not called back while it calls.
        task.eventLoop.execute { task.fail(reason: EarlyRefusal()) }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {}

    /// Looks at the connection again and again until the request has ended, and ends it when nothing happens.
    ///
    /// async-http-client's own timeouts are not what is wanted: its `write` timeout stands still while the remote takes
    /// no bytes, and its `read` timeout starts when the last bytes are still in our buffer.
    private func watchIdleness(of connection: ConnectionFacts, task: HTTPClient.Task<Void>) {
        guard let tick = self.terms.idle.tick else { return }
        let clock = NIOLoopBoundBox(IdleClock(self.terms.idle, now: .now()), eventLoop: task.eventLoop)
        let ticking = task.eventLoop.scheduleRepeatedTask(initialDelay: tick, delay: tick) { _ in
            TCPProgress.acknowledged(on: connection.channel).whenSuccess { acknowledged in
                guard let sight = self.sight(of: connection, acknowledged: acknowledged) else { return }
                if let verdict = clock.value.look(sight, now: .now()) { task.fail(reason: verdict) }
            }
        }
        task.futureResult.whenComplete { _ in ticking.cancel() }
    }

    /// What is seen of the request now; `nil` if nothing is waited for.
    private func sight(of connection: ConnectionFacts, acknowledged: UInt64) -> IdleClock.Sight? {
        let record = self.record
        // An early refusal has its own end.
        guard !record.isEarlyRefusal else { return nil }
        let counts = connection.counts
        return IdleClock.Sight(
            requestSent: record.requestSent,
            written: counts.written,
            buffered: connection.buffered,
            acknowledged: acknowledged,
            received: counts.received
        )
    }
}

extension HTTPResponseHead {
    /// The value of `Content-Length`, in bytes.
    var announcedLength: Int? { self.headers.first(name: "Content-Length").flatMap { Int($0) } }
}
