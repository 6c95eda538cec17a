import NIOCore
import NIOSSL
import Synchronization

/// The hosts that a client is asked to send to, and the check that a connection leads to one of them.
///
/// NIOSSL has compared the certificate with name or address (see ``CertificateHost``). async-http-client says of a new
/// connection not for which host it is, so that it must be one of those that were asked for: a client has one endpoint.
final class RequestedHosts: Sendable {
    private let hosts = Mutex<Set<String>>([])

    /// Notes a host before a request to it.
    func note(_ host: String) {
        self.hosts.withLock { _ = $0.insert(host) }
    }

    /// Checks a connection that has just been opened; one that fails is closed. To be called on its event loop.
    func check(_ channel: any Channel) -> EventLoopFuture<Void> {
        // There is none where there is no TLS.
        let certificate = (try? channel.pipeline.syncOperations.nioSSL_peerCertificate()) ?? nil
        let isNamed = self.hosts.withLock { hosts in
            guard let certificate else { return true }
            return hosts.contains { HostName.isAddress($0) || CertificateHost.isNamed(certificate, $0) }
        }
        guard !isNamed else { return channel.eventLoop.makeSucceededVoidFuture() }
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(NIOSSLExtraError.failedToValidateHostname)
    }
}
