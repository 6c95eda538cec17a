import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Records how far a request gets, as async-http-client reports it, and limits the size of the reply.
final class ExchangeRecorder: HTTPClientResponseDelegate {
    typealias Response = Void

    struct Record: Sendable {
        /// Whether the request head was handed to a connection.
        var headSent = false
        /// Whether the socket accepted the whole request.
        var requestSent = false
        var bodyBytesSent: Int64 = 0
        var head: HTTPResponseHead?
        /// The body of the reply so far, inflated.
        var body = ByteBuffer()

        /// Whether the remote refused the request, with a status from 300, before the whole request was written.
        var isEarlyRefusal: Bool { !self.requestSent && (self.head.map { $0.status.code >= 300 } ?? false) }

        /// Whether the reply has a content coding: its announced length is then not that of the body.
        var isCoded: Bool { self.head?.headers.contains(name: "Content-Encoding") ?? false }

        /// Whether the body has the announced length; `false` if none was announced.
        var hasAnnouncedLength: Bool { !self.isCoded && self.head?.announcedLength == self.body.readableBytes }
    }

    private let contentLength: Int64
    private let progress: (@Sendable (Int64, Int64) -> Void)?
    private let state = Mutex(Record())

    /// Makes a recorder for one request; `contentLength` is the length of its body in bytes.
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

    /// Fails replies that are too long or a success that comes too early; limits the wait for the body of an early refusal.
    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let record = self.state.withLock { record in
            record.head = head
            return record
        }
        guard head.announcedLength ?? 0 <= Limits.replyBytes else {
            return task.eventLoop.makeFailedFuture(ExchangeEnd.replyTooLarge)
        }
        if head.status.code < 300, record.bodyBytesSent < self.contentLength {
            // A success before the whole body was sent cannot be one; async-http-client would stop writing and report success.
            return task.eventLoop.makeFailedFuture(ExchangeEnd.earlySuccess)
        }
        if record.isEarlyRefusal {
            // async-http-client would wait, up to the deadline, until the socket accepts the rest of our body.
            task.eventLoop.scheduleTask(in: TimeAmount(Limits.earlyRefusalGrace)) {
                // If the request was sent meanwhile, the limits of the reply apply.
                guard !self.record.requestSent else { return }
                task.fail(reason: ExchangeEnd.graceIsOver)
            }
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let fits = self.state.withLock { record in
            guard record.body.readableBytes + buffer.readableBytes <= Limits.replyBytes else { return false }
            record.body.writeImmutableBuffer(buffer)
            return true
        }
        return fits
            ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(ExchangeEnd.replyTooLarge)
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {}
}

extension HTTPResponseHead {
    fileprivate var announcedLength: Int? { self.headers.first(name: "Content-Length").flatMap { Int($0) } }
}
