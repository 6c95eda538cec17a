import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Writes down how far a request comes, as async-http-client reports it, and keeps the reply within the limit.
final class ExchangeRecorder: HTTPClientResponseDelegate {
    typealias Response = Void

    struct Record: Sendable {
        /// Whether the request head was handed to a connection.
        var headSent = false
        /// Whether the whole request was taken by the socket.
        var requestSent = false
        /// The bytes of the request body that the socket has taken.
        var bodyBytesSent: Int64 = 0
        var head: HTTPResponseHead?
        /// The body of the reply so far, inflated.
        var body = ByteBuffer()

        /// Whether the reply came before the request was written, and says that the rest is not wanted.
        var isEarlyRefusal: Bool { !self.requestSent && (self.head.map { $0.status.code >= 300 } ?? false) }

        /// Whether the reply is in a content coding, so that its announced length is not that of the body.
        var isCoded: Bool { self.head?.headers.contains(name: "Content-Encoding") ?? false }

        /// Whether the body has the announced length; `false` if none was announced.
        var hasAnnouncedLength: Bool { !self.isCoded && self.head?.announcedLength == self.body.readableBytes }
    }

    private let contentLength: Int64
    private let progress: (@Sendable (Int64, Int64) -> Void)?
    private let state = Mutex(Record())

    /// Makes a recorder for one request with a body of so many bytes.
    init(contentLength: Int64, progress: (@Sendable (Int64, Int64) -> Void)?) {
        self.contentLength = contentLength
        self.progress = progress
    }

    var record: Record { self.state.withLock { $0 } }

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        self.state.withLock { $0.headSent = true }
    }

    func didSendRequestPart(task: HTTPClient.Task<Void>, _ part: IOData) {
        let sent = self.state.withLock { record in
            record.bodyBytesSent += Int64(part.readableBytes)
            return record.bodyBytesSent
        }
        self.progress?(min(sent, self.contentLength), self.contentLength)
    }

    func didSendRequest(task: HTTPClient.Task<Void>) { self.state.withLock { $0.requestSent = true } }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let record = self.state.withLock { record in
            record.head = head
            return record
        }
        guard head.announcedLength ?? 0 <= Limits.replyBytes else {
            return task.eventLoop.makeFailedFuture(ExchangeEnd.replyTooLarge)
        }
        if head.status.code < 300, record.bodyBytesSent < self.contentLength {
            // Who has not seen the form cannot have taken it. Left alone, async-http-client stops writing here and
            // reports success.
            return task.eventLoop.makeFailedFuture(ExchangeEnd.earlySuccess)
        }
        if record.isEarlyRefusal {
            // async-http-client would wait for the rest of our body to be taken, up to the deadline.
            task.eventLoop.scheduleTask(in: TimeAmount(Limits.earlyRefusalGrace)) {
                // Once the request is out after all, the reply has its own limits.
                guard !self.record.requestSent else { return }
                task.fail(reason: ExchangeEnd.graceIsOver)
            }
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let isTaken = self.state.withLock { record in
            guard record.body.readableBytes + buffer.readableBytes <= Limits.replyBytes else { return false }
            record.body.writeImmutableBuffer(buffer)
            return true
        }
        return isTaken
            ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(ExchangeEnd.replyTooLarge)
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {}
}

extension HTTPResponseHead {
    fileprivate var announcedLength: Int? { self.headers.first(name: "Content-Length").flatMap { Int($0) } }
}
