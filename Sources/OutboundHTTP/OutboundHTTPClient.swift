import AsyncHTTPClient
import Foundation
package import IDCardCore
package import IDCardMultipartForm
import NIOCore

/// Sends forms and files over HTTP/1.1 and says of every attempt how it ended: never a thrown error, never a retry,
/// never a redirect.
///
/// Sending again is the engine's decision, on the class of the failure. HTTP/2 is not offered: whether a stream that
/// was refused has been seen is another question than for a connection.
package final class OutboundHTTPClient: Sendable {
    let client: HTTPClient
    let loop: any EventLoop
    let configuration: Configuration
    let now: @Sendable () -> Timestamp
    let gate: ConnectionGate
    let register = ConnectionRegister()
    let hosts = RequestedHosts()

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
        var forLibrary = configuration.forAsyncHTTPClient
        // Meant for debugging, but the one place where a connection can be seen: it is called when it is open, TLS
        // included, and before its first request.
        forLibrary.http1_1ConnectionDebugInitializer = { [register, hosts] channel in
            guard !configuration.tls.isInsecure else { return register.watch(channel) }
            let checked = configuration.tls.pins?.check(channel) ?? hosts.check(channel)
            return checked.flatMap { register.watch(channel) }
        }
        self.client = HTTPClient(eventLoopGroup: self.loop, configuration: forLibrary)
        self.gate = ConnectionGate(limit: configuration.maximumConnectionsPerHost, loop: self.loop)
        self.configuration = configuration
        self.now = now
    }

    /// Closes all connections; requests under way end as cancelled. Further calls do nothing.
    package func shutdown() async {
        self.gate.close()
        do {
            try await self.client.shutdown()
        } catch {
            // The one error is "already shut down", which is what was asked for.
        }
    }

    /// Says whether anything may be sent to an endpoint: with ``TLSSettings/isInsecure`` only to hosts of this machine,
    /// unless forced. Every sending checks it again.
    ///
    /// Where certificates are pinned, only over TLS.
    ///
    /// - Throws: ``OutboundHTTPError``: `tls_insecure_refused` or `tls_required`.
    package func check(_ endpoint: RemoteEndpoint) throws(OutboundHTTPError) {
        let tls = self.configuration.tls
        guard endpoint.usesTLS || tls.pins == nil else {
            throw OutboundHTTPError(
                .tlsRequired,
                "certificates are pinned, and the URL of \(endpoint.authority) begins with http://: use https, or remove"
                    + " the pins"
            )
        }
        guard endpoint.usesTLS, tls.isInsecure, !tls.isInsecureForced else { return }
        // What is local to a proxy elsewhere is not local.
        guard endpoint.isLoopback, self.configuration.proxy?.isLoopback ?? true else {
            throw OutboundHTTPError(
                .tlsInsecureRefused,
                "TLS without verification is for this machine only, and \(endpoint.authority) is elsewhere: trust its"
                    + " certificate instead, or force it"
            )
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
    ///   - headers: further headers, such as `Idempotency-Key`; visible ASCII.
    ///   - deadline: the time for the whole exchange, from waiting for a connection to the last byte of the reply.
    ///   - progress: whom to tell how far it is; the same for all attempts of an upload.
    package func post(
        _ form: MultipartForm,
        to endpoint: RemoteEndpoint,
        headers: [(name: String, value: String)] = [],
        deadline: Duration,
        progress: UploadProgressTracker? = nil
    ) async -> HTTPExchange {
        let upload = Upload(body: UploadBody(form), endpoint: endpoint, headers: headers, tracker: progress)
        return await self.send(upload, deadline: deadline)
    }

    /// Posts bytes as they are, without a form, and waits for the reply: everything else about them goes into headers.
    ///
    /// A file is read as it is sent, and watched as the parts of a form are.
    ///
    /// - Parameters:
    ///   - content: the body.
    ///   - contentType: the value of `Content-Type`.
    ///   - endpoint: where to.
    ///   - headers: further headers; visible ASCII, so that other values must be encoded by the caller.
    ///   - deadline: the time for the whole exchange.
    ///   - progress: whom to tell how far it is.
    package func upload(
        _ content: MultipartForm.Content,
        contentType: String = "application/octet-stream",
        to endpoint: RemoteEndpoint,
        headers: [(name: String, value: String)] = [],
        deadline: Duration,
        progress: UploadProgressTracker? = nil
    ) async -> HTTPExchange {
        let body: UploadBody
        do {
            body = try UploadBody(content, contentType: contentType)
        } catch {
            let isHeader = error.code == .invalidContentType
            let cause: any Error =
                isHeader ? HeaderRules.Violation(message: "the header 'Content-Type' is no media type") : error
            return .failure(self.faults(to: endpoint).failure(for: cause, phase: .notSent))
        }
        let upload = Upload(body: body, endpoint: endpoint, headers: headers, tracker: progress)
        return await self.send(upload, deadline: deadline)
    }
}
