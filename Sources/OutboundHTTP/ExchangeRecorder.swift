import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Writes down how far a request comes, as async-http-client reports it, and keeps the reply within the limit.
final class ExchangeRecorder: HTTPClientResponseDelegate {
    typealias Response = Void

    /// What is known of the exchange.
    struct Record: Sendable {
        /// Whether the request head was handed to a connection.
        var headSent = false
        /// Whether the whole request was handed to a connection.
        var requestSent = false
        /// The bytes of the request body that a connection has written.
        var bodyBytesSent: UInt64 = 0
        /// The head of the reply.
        var head: HTTPResponseHead?
        /// The body of the reply so far.
        var body = ByteBuffer()

        /// Whether the reply came before the request was written, and says that the rest is not wanted.
        var isEarlyRefusal: Bool { !self.requestSent && (self.head.map { $0.status.code >= 300 } ?? false) }

        /// Whether the body has the announced length; `false` if none was announced.
        var hasAnnouncedLength: Bool { self.head?.announcedLength == self.body.readableBytes }
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

    private let contentLength: UInt64
    private let maximumReplyBytes: Int
    private let state = Mutex(Record())

    /// Makes a recorder for one request.
    ///
    /// - Parameters:
    ///   - contentLength: the length of the request body, in bytes.
    ///   - maximumReplyBytes: the limit of the reply body, in bytes.
    init(contentLength: UInt64, maximumReplyBytes: Int) {
        self.contentLength = contentLength
        self.maximumReplyBytes = maximumReplyBytes
    }

    /// What is known so far.
    var record: Record { self.state.withLock { $0 } }

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        self.state.withLock { $0.headSent = true }
    }

    func didSendRequestPart(task: HTTPClient.Task<Void>, _ part: IOData) {
        self.state.withLock { $0.bodyBytesSent += UInt64(part.readableBytes) }
    }

    func didSendRequest(task: HTTPClient.Task<Void>) {
        self.state.withLock { $0.requestSent = true }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let record = self.state.withLock { record in
            record.head = head
            return record
        }
        guard head.announcedLength ?? 0 <= self.maximumReplyBytes else {
            return task.eventLoop.makeFailedFuture(ReplyTooLarge())
        }
        if head.status.code < 300, record.bodyBytesSent < self.contentLength {
            // Who has not seen the form cannot have taken it. Left alone, async-http-client stops writing here and
            // reports success.
            return task.eventLoop.makeFailedFuture(EarlySuccess())
        }
        if record.isEarlyRefusal {
            task.eventLoop.scheduleTask(in: Self.earlyRefusalGrace) { task.fail(reason: EarlyRefusal()) }
        }
        self.endEarlyRefusal(record, task: task)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let record = self.state.withLock { record -> Record? in
            guard record.body.readableBytes + buffer.readableBytes <= self.maximumReplyBytes else { return nil }
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
}

extension HTTPResponseHead {
    /// The value of `Content-Length`, in bytes.
    var announcedLength: Int? { self.headers.first(name: "Content-Length").flatMap { Int($0) } }
}
