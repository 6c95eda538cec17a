import AsyncHTTPClient
import Foundation
import IDCardCore
import IDCardMultipartForm
import NIOCore
import NIOHTTP1

extension OutboundHTTPClient {
    /// Everything about one request but its deadline.
    struct Upload {
        var body: UploadBody
        var endpoint: RemoteEndpoint
        var headers: [(name: String, value: String)]
        var tracker: UploadProgressTracker?
    }

    /// Sends one request: checks, a place, the exchange, and what it means.
    func send(_ upload: Upload, deadline: Duration) async -> HTTPExchange {
        guard !Task.isCancelled else { return .cancelled(.notSent) }
        let faults = self.faults(to: upload.endpoint)
        let end = NIODeadline.now() + TimeAmount(deadline)
        let request: HTTPClient.Request
        do {
            try self.check(upload.endpoint)
            try HeaderRules.check(upload.headers)
            request = try self.request(upload)
        } catch {
            return .failure(faults.failure(for: error, phase: .notSent))
        }
        do {
            try await self.enter(upload.endpoint.authority, end: end)
        } catch {
            return error == .interrupted ? .cancelled(.notSent) : .failure(self.poolFailure(faults, end: end))
        }
        self.hosts.note(upload.endpoint.host)
        let (record, ending) = await self.run(request, upload, end: end)
        self.gate.leave(upload.endpoint.authority)
        let exchange = self.exchange(record, ending: ending, faults: faults)
        return await self.examine(exchange, record: record, ending: ending, faults: faults, end: end)
    }

    func faults(to endpoint: RemoteEndpoint) -> FaultClassifier {
        FaultClassifier(
            endpoint: endpoint,
            maximumReplyBytes: self.configuration.maximumReplyBytes,
            proxy: self.configuration.proxy,
            showsCertificate: self.configuration.tls.clientKey != nil
        )
    }

    private func enter(_ host: String, end: NIODeadline) async throws(ConnectionGate.Refusal) {
        let wait = min(TimeAmount(self.configuration.poolTimeout), end - .now())
        try await self.gate.enter(host, timeout: wait)
    }

    private func poolFailure(_ faults: FaultClassifier, end: NIODeadline) -> HTTPFailure {
        let error: HTTPClientError = NIODeadline.now() < end ? .getConnectionFromPoolTimeout : .deadlineExceeded
        return faults.failure(for: error, phase: .notSent)
    }

    private func run(
        _ request: HTTPClient.Request,
        _ upload: Upload,
        end: NIODeadline
    ) async -> (ExchangeRecorder.Record, (any Error)?) {
        let terms = ExchangeRecorder.Terms(
            contentLength: upload.body.length,
            maximumReplyBytes: self.configuration.maximumReplyBytes,
            idle: IdleLimits(
                write: self.configuration.idleWriteTimeout.map { TimeAmount($0) },
                read: self.configuration.idleReadTimeout.map { TimeAmount($0) }
            ),
            tracker: upload.tracker
        )
        let recorder = ExchangeRecorder(terms, register: self.register)
        let task = self.client.execute(request: request, delegate: recorder, deadline: end)
        let ending: (any Error)? = await withTaskCancellationHandler {
            do {
                try await task.futureResult.get()
                return nil
            } catch {
                return error
            }
        } onCancel: {
            task.cancel()
        }
        return (recorder.record, ending)
    }

    private func request(_ upload: Upload) throws -> HTTPClient.Request {
        let stream = try BodyStream(upload.body, on: self.loop)
        var fields = HTTPHeaders([
            ("User-Agent", self.configuration.userAgent),
            ("Accept", "*/*"),
            ("Content-Type", upload.body.contentType),
        ])
        fields.add(contentsOf: upload.headers.map { ($0.name, $0.value) })
        guard let length = Int64(exactly: upload.body.length) else { throw HTTPClientError.contentLengthMissing }
        return try HTTPClient.Request(
            url: upload.endpoint.url,
            method: .POST,
            headers: fields,
            body: .stream(contentLength: length) { stream.stream(to: $0) }
        )
    }

    /// Joins what the recorder saw with how the request ended.
    private func exchange(
        _ record: ExchangeRecorder.Record,
        ending error: (any Error)?,
        faults: FaultClassifier
    ) -> HTTPExchange {
        // A status of 300 and above is a definite word, also when it came before the body had ended and the connection
        // broke over it.
        if let head = record.head, error == nil || head.status.code >= 300 {
            return .reply(self.reply(head, record: record, isEnded: error == nil))
        }
        let phase: HTTPPhase = record.headSent ? .afterSend : .notSent
        if Task.isCancelled || faults.isInterruption(error) { return .cancelled(phase) }
        return .failure(faults.failure(for: error, phase: phase, isReusedAndSilent: record.isReusedAndSilent))
    }

    private func reply(_ head: HTTPResponseHead, record: ExchangeRecorder.Record, isEnded: Bool) -> HTTPReply {
        HTTPReply(
            status: Int(head.status.code),
            mediaType: head.headers.first(name: "Content-Type").flatMap(Self.mediaType),
            retryAfter: head.headers.first(name: "Retry-After").flatMap { RetryAfter.parse($0, now: self.now()) },
            body: Data(record.body.readableBytesView),
            isComplete: isEnded || record.hasAnnouncedLength
        )
    }

    /// Does what a failure asks for: closes what may be dead too, looks closer at a certificate.
    private func examine(
        _ exchange: HTTPExchange,
        record: ExchangeRecorder.Record,
        ending: (any Error)?,
        faults: FaultClassifier,
        end: NIODeadline
    ) async -> HTTPExchange {
        guard case .failure(let failure) = exchange else { return exchange }
        if failure.isStaleConnection, let connection = record.connection {
            await self.register.closeUnused(like: connection)
        }
        // Through a proxy the look would need a tunnel of its own: the failure is then named without it. Who compares
        // with pins has had the look already.
        let tls = self.configuration.tls
        guard failure.code == .tlsUntrusted, failure.phase == .notSent, self.configuration.proxy == nil, tls.pins == nil
        else { return exchange }
        let diagnosis = TLSDiagnosis(endpoint: faults.endpoint, settings: tls, loop: self.loop)
        let timeout = min(TimeAmount(self.configuration.connectTimeout), end - .now())
        guard timeout > .zero, let finding = await diagnosis.find(within: timeout) else {
            return exchange
        }
        return .failure(faults.failure(for: finding))
    }

    private static func mediaType(_ value: String) -> String? {
        value.split(separator: ";").first.map { $0.trimmed.lowercased() }
    }
}

extension OutboundHTTPClient.Configuration {
    /// The same limits in the terms of async-http-client. Its idle timeouts are left alone: see ``ExchangeRecorder``.
    var forAsyncHTTPClient: HTTPClient.Configuration {
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.idleTimeout = TimeAmount(self.poolIdleTimeout)
        pool.concurrentHTTP1ConnectionsPerHostSoftLimit = self.maximumConnectionsPerHost
        // Retrying is the engine's: a refused connection is known at once, not after the connect timeout.
        pool.retryConnectionEstablishment = false
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: self.tls.forNIOSSL,
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(self.connectTimeout)),
            connectionPool: pool,
            proxy: self.proxy?.forAsyncHTTPClient,
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        return configuration
    }
}

extension ProxySettings {
    /// The same in the terms of async-http-client.
    var forAsyncHTTPClient: HTTPClient.Configuration.Proxy {
        .server(
            host: self.host,
            port: self.port,
            authorization: self.user.map { .basic(username: $0.reveal(), password: self.password.reveal()) }
        )
    }
}
