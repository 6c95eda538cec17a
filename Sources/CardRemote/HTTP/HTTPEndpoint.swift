import AsyncHTTPClient
import CardModel
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL
import Synchronization

/// One endpoint with its own pool of connections: posts bodies over HTTP/1.1. Every attempt returns an ``HTTPExchange``, and
/// never throws. Redirects are not followed, and a request that the remote may have received as a whole is not repeated. HTTP/2
/// is off, because a refused stream does not tell whether the request was processed.
final class HTTPEndpoint: Sendable, CustomReflectable {
    let address: EndpointAddress
    let proxy: ProxyAddress?
    let showsCertificate: Bool
    private let lastCertificate: LastCertificate
    private let tls: CurrentTLS
    private let timeout: Duration
    let loop: any EventLoop
    private let client: HTTPClient
    /// The client that opens a new connection for each request.
    private let freshClient: HTTPClient
    private let reusesConnections: Bool

    /// Sets up an endpoint; the caller must call ``shutdown()`` before releasing it.
    ///
    /// - Parameter section: the section of the configuration that has the settings, for messages.
    /// - Throws: `url_invalid`, `proxy_invalid`, `tls_…`.
    init(_ settings: EndpointSettings, section: String, defaultPath: String? = nil) throws(CodedError) {
        let address = try EndpointAddress(settings.url, key: "\(section).url", defaultPath: defaultPath)
        self.address = address
        self.proxy = try settings.proxy.map { proxy throws(CodedError) in
            try ProxyAddress(proxy, key: "\(section).proxy")
        }
        self.showsCertificate = settings.tls.clientKey != nil
        self.timeout = settings.timeout
        let lastCertificate = LastCertificate()
        self.lastCertificate = lastCertificate
        self.tls = try CurrentTLS(TLSFiles(section: section, settings: settings.tls, isUsed: address.usesTLS))
        // One event loop for connections and callbacks: with several, a deadline could fire on one loop while another writes the
        // head, and it would not be certain that nothing was sent.
        self.loop = HTTPClient.defaultEventLoopGroup.next()
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.idleTimeout = TimeAmount(Limits.poolIdleTime)
        pool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.concurrency
        // The engine retries: a refused connection is reported at once, not after the connect timeout.
        pool.retryConnectionEstablishment = false
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(Limits.connectTimeout)),
            connectionPool: pool,
            proxy: self.proxy?.forLibrary.reveal(),
            decompression: .enabled(limit: .size(Limits.replyBytes))
        )
        configuration.httpVersion = .http1Only
        // The only hook that gets a connection after it is open, TLS included, and before its first request.
        configuration.http1_1ConnectionDebugInitializer = { channel in
            Self.check(channel, for: address, recordingIn: lastCertificate)
        }
        self.client = HTTPClient(eventLoopGroup: self.loop, configuration: configuration)
        self.freshClient = HTTPClient(eventLoopGroup: self.loop, configuration: configuration)
        self.reusesConnections = settings.reusesConnections
    }

    /// An empty mirror: the endpoint holds secrets, and a dump would read an event loop that another thread changes.
    var customMirror: Mirror { Mirror(self, children: [:]) }

    /// The end of validity of the server's latest certificate; `nil` without TLS.
    var certificateEnd: Timestamp? { self.lastCertificate.expiry.withLock(\.self) }

    func reload() throws(CodedError) { try self.tls.reload() }

    /// Closes all connections; current requests end as cancelled.
    func shutdown() async {
        // The only error is "already shut down", which is the wanted state.
        try? await self.client.shutdown()
        try? await self.freshClient.shutdown()
    }

    /// Posts a body with its exact `Content-Length` and waits for the reply; cancelling the calling task cancels the
    /// request.
    ///
    /// If an answer that no request asked for stopped the request before it was completely sent, the request is sent once more on a
    /// new connection, where an early answer must belong to this request.
    ///
    /// - Parameters:
    ///   - headers: further headers, such as `Idempotency-Key`.
    ///   - progress: called on an event loop with the bytes of the body that the socket has accepted, and their total.
    func post(
        _ body: RequestBody,
        headers: [HeaderField] = [],
        progress: (@Sendable (Int64, Int64) -> Void)? = nil
    ) async -> HTTPExchange {
        let deadline = NIODeadline.now() + TimeAmount(self.timeout)
        let reuses = self.reusesConnections
        let exchange = await self.post(body, headers, isFresh: !reuses, deadline: deadline, progress: progress)
        guard reuses, case .failure(let failure) = exchange, failure.code == .unaskedAnswer else { return exchange }
        // Progress is not reported again, since it must never decrease.
        return await self.post(body, headers, isFresh: true, deadline: deadline, progress: nil)
    }

    private func post(
        _ body: RequestBody,
        _ headers: [HeaderField],
        isFresh: Bool,
        deadline: NIODeadline,
        progress: (@Sendable (Int64, Int64) -> Void)?
    ) async -> HTTPExchange {
        guard !Task.isCancelled else { return .cancelled(.notSent) }
        let request: HTTPClient.Request
        do {
            request = try self.request(body, headers: headers, isFresh: isFresh)
        } catch {
            return .failure(HTTPFailure(error, phase: .notSent, of: self))
        }
        let recorder = ExchangeRecorder(contentLength: body.length, progress: progress)
        let ending = await self.perform(request, recorder, isFresh: isFresh, deadline: deadline)
        return self.exchange(recorder.record, ending: ending)
    }

    /// Performs a request; returns the error in which it ends.
    func perform(
        _ request: HTTPClient.Request,
        _ recorder: ExchangeRecorder,
        isFresh: Bool = true,
        deadline: NIODeadline? = nil
    ) async -> (any Error)? {
        let deadline = deadline ?? NIODeadline.now() + TimeAmount(self.timeout)
        let client = isFresh ? self.freshClient : self.client
        var request = request
        request.tlsConfiguration = self.tls.configuration
        let task = client.execute(request: request, delegate: recorder, deadline: deadline)
        return await withTaskCancellationHandler {
            do {
                try await task.futureResult.get()
                return nil
            } catch {
                return error
            }
        } onCancel: {
            task.cancel()
        }
    }

    private func request(_ body: RequestBody, headers: [HeaderField], isFresh: Bool) throws -> HTTPClient.Request {
        var fields = HTTPHeaders([
            ("User-Agent", "idcard-pipeline"), ("Accept", "*/*"), ("Accept-Encoding", "identity"),
            ("Content-Type", body.contentType),
        ])
        if isFresh { fields.add(name: "Connection", value: "close") }
        for header in headers { fields.add(name: header.name, value: header.value.reveal()) }
        let (url, sent) = (self.address.url, body.forLibrary(on: self.loop))
        return try HTTPClient.Request(url: url, method: .POST, headers: fields, body: sent)
    }

    /// Combines the record of a request with the error in which it ended.
    private func exchange(_ record: ExchangeRecorder.Record, ending error: (any Error)?) -> HTTPExchange {
        // A status from 300 counts even if it came before the whole body was sent, and the connection then broke.
        let isEnded = error == nil || error as? ExchangeEnd == .answerEnded
        if let head = record.head {
            var reply = Self.reply(head, record: record, isEnded: isEnded)
            let isWhole = isEnded || self.isCutOff(by: error) && record.requestSent && reply.isJSONObject
            if isWhole { reply.isComplete = true }
            if isWhole || head.status.code >= 300 { return .reply(reply) }
        }
        // After an unasked answer, the remote cannot have applied the form, because it was not completely sent.
        let isIncomplete = error as? ExchangeEnd == .unaskedAnswer
        let phase: HTTPPhase = record.headSent && !isIncomplete ? .afterSend : .notSent
        let isEndedByUs = (error as? HTTPClientError).map { $0 == .cancelled || $0 == .alreadyShutdown } ?? false
        if Task.isCancelled || isEndedByUs { return .cancelled(phase) }
        return .failure(HTTPFailure(error, phase: phase, isCoded: record.isCoded, of: self))
    }

    /// Whether the connection ended before the reply did.
    private func isCutOff(by error: (any Error)?) -> Bool {
        let code = TransportFault.code(for: error, phase: .afterSend, usesTLS: self.address.usesTLS)
        return code == .connectionClosed || code == .connectionReset
    }

    private static func reply(_ head: HTTPResponseHead, record: ExchangeRecorder.Record, isEnded: Bool) -> HTTPReply {
        HTTPReply(
            status: Int(head.status.code),
            contentType: head.headers.first(name: "Content-Type"),
            contentCoding: ReplyText.remainingCoding(head.headers[canonicalForm: "Content-Encoding"].map(String.init)),
            retryAfter: head.headers.first(name: "Retry-After")
                .flatMap { RetryAfter.parse($0, now: Timestamp(Date())) },
            body: Data(record.body.readableBytesView),
            isComplete: isEnded || record.hasAnnouncedLength,
            isOnReusedConnection: head.headers.contains(name: ConnectionWatch.reusedMark)
        )
    }

    /// Adds a ``ConnectionWatch`` to a new connection; closes the connection if its certificate does not name the host.
    private static func check(
        _ channel: any Channel,
        for address: EndpointAddress,
        recordingIn lastCertificate: LastCertificate
    ) -> EventLoopFuture<Void> {
        // `nil` without TLS.
        let certificate = (try? channel.pipeline.syncOperations.nioSSL_peerCertificate()) ?? nil
        lastCertificate.expiry.withLock { $0 = certificate.map(TLSFiles.expiry) }
        guard let certificate, !address.isNumeric, !CertificateHost.isNamed(certificate, address.host) else {
            return channel.eventLoop.makeCompletedFuture { try ConnectionWatch.add(to: channel) }
        }
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(NIOSSLExtraError.failedToValidateHostname)
    }
}

/// The end of validity of the server's latest certificate.
private final class LastCertificate: Sendable { let expiry = Mutex<Timestamp?>(nil) }
