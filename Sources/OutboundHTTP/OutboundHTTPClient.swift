import AsyncHTTPClient
import Foundation
package import IDCardCore
package import MultipartForm
import NIOCore
import NIOHTTP1

/// Sends forms over HTTP/1.1 and says of every attempt how it ended: never a thrown error, never a retry, never a
/// redirect.
///
/// Sending again is the engine's decision, on the class of the failure. HTTP/2 is not offered: whether a stream that
/// was refused has been seen is another question than for a connection.
package final class OutboundHTTPClient: Sendable {
    private let client: HTTPClient
    private let loop: any EventLoop
    private let configuration: Configuration
    private let now: @Sendable () -> Timestamp

    /// Makes a client; ``shutdown()`` must be called before it is released.
    ///
    /// - Parameters:
    ///   - configuration: the limits.
    ///   - now: the wall clock, against which a `Retry-After` date is measured.
    package init(
        configuration: Configuration = Configuration(),
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) {
        // One event loop for connections and callbacks alike: with several, a deadline could fire on one loop while the
        // head is being written on another, and "not sent" would be a guess. One loop is far from being a limit for
        // uploads.
        self.loop = HTTPClient.defaultEventLoopGroup.next()
        self.client = HTTPClient(eventLoopGroup: self.loop, configuration: configuration.forAsyncHTTPClient)
        self.configuration = configuration
        self.now = now
    }

    /// Closes all connections; requests under way end as cancelled. Further calls do nothing.
    package func shutdown() async {
        do {
            try await self.client.shutdown()
        } catch {
            // The one error is "already shut down", which is what was asked for.
        }
    }

    /// Posts a form and waits for the reply.
    ///
    /// The form is streamed with its exact `Content-Length`, chunk by chunk as the connection takes them. Cancelling
    /// the calling task cancels the request.
    ///
    /// - Parameters:
    ///   - form: the body.
    ///   - endpoint: where to.
    ///   - headers: further headers, such as `Idempotency-Key`.
    ///   - deadline: the time for the whole exchange, from waiting for a connection to the last byte of the reply.
    package func post(
        _ form: MultipartForm,
        to endpoint: RemoteEndpoint,
        headers: [(name: String, value: String)] = [],
        deadline: Duration
    ) async -> HTTPExchange {
        guard !Task.isCancelled else { return .cancelled(.notSent) }
        let faults = FaultClassifier(endpoint: endpoint, maximumReplyBytes: self.configuration.maximumReplyBytes)
        let request: HTTPClient.Request
        do {
            request = try self.request(form, endpoint: endpoint, headers: headers)
        } catch {
            return .failure(faults.failure(for: error, phase: .notSent))
        }
        let recorder = ExchangeRecorder(
            contentLength: form.contentLength,
            maximumReplyBytes: self.configuration.maximumReplyBytes
        )
        let task = self.client.execute(request: request, delegate: recorder, deadline: .now() + TimeAmount(deadline))
        let ending: Result<Void, any Error> = await withTaskCancellationHandler {
            do {
                return .success(try await task.futureResult.get())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            task.cancel()
        }
        return self.exchange(recorder.record, ending: ending, faults: faults)
    }

    private func request(
        _ form: MultipartForm,
        endpoint: RemoteEndpoint,
        headers: [(name: String, value: String)]
    ) throws -> HTTPClient.Request {
        let body = FormBody(try form.makeReader(), of: form, on: self.loop)
        var fields = HTTPHeaders([
            ("User-Agent", self.configuration.userAgent),
            ("Accept", "*/*"),
            ("Content-Type", form.contentType),
        ])
        fields.add(contentsOf: headers.map { ($0.name, $0.value) })
        return try HTTPClient.Request(
            url: endpoint.url,
            method: .POST,
            headers: fields,
            body: .stream(contentLength: Int64(form.contentLength)) { body.stream(to: $0) }
        )
    }

    /// Joins what the recorder saw with how the request ended.
    private func exchange(
        _ record: ExchangeRecorder.Record,
        ending: Result<Void, any Error>,
        faults: FaultClassifier
    ) -> HTTPExchange {
        let error: (any Error)?
        switch ending {
        case .success: error = nil
        case .failure(let failure): error = failure
        }
        // A status of 300 and above is a definite word, also when it came before the body had ended and the connection
        // broke over it.
        if let head = record.head, error == nil || head.status.code >= 300 {
            return .reply(
                HTTPReply(
                    status: Int(head.status.code),
                    mediaType: head.headers.first(name: "Content-Type").flatMap(Self.mediaType),
                    retryAfter: head.headers.first(name: "Retry-After")
                        .flatMap { RetryAfter.parse($0, now: self.now()) },
                    body: Data(record.body.readableBytesView),
                    isComplete: error == nil || record.hasAnnouncedLength
                )
            )
        }
        let phase: HTTPPhase = record.headSent ? .afterSend : .notSent
        if Task.isCancelled || faults.isInterruption(error) { return .cancelled(phase) }
        return .failure(faults.failure(for: error, phase: phase))
    }

    private static func mediaType(_ value: String) -> String? {
        value.split(separator: ";").first.map { $0.trimmed.lowercased() }
    }
}

extension OutboundHTTPClient.Configuration {
    /// The same limits in the terms of async-http-client.
    var forAsyncHTTPClient: HTTPClient.Configuration {
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.idleTimeout = TimeAmount(self.poolIdleTimeout)
        pool.concurrentHTTP1ConnectionsPerHostSoftLimit = self.maximumConnectionsPerHost
        // Retrying is the engine's: a refused connection is known at once, not after the connect timeout.
        pool.retryConnectionEstablishment = false
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(self.connectTimeout), read: self.idleReadTimeout.map { TimeAmount($0) }),
            connectionPool: pool,
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        return configuration
    }
}
