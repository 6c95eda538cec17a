import Foundation
import IDCardCore
import NIOCore
import NIOPosix
import NIOSSL

/// Finds out why a server's certificate was not believed.
///
/// BoringSSL has one error for all reasons, and async-http-client offers no verification callback. So, on this way of
/// failing alone, one more connection is opened: it takes a look at the certificate, refuses it whatever it is, and
/// never sends a request.
struct TLSDiagnosis {
    private struct Refused: Error {}

    /// The server.
    let endpoint: RemoteEndpoint
    /// How its certificates are verified.
    let settings: TLSSettings
    /// The event loop to connect on.
    let loop: any EventLoop

    /// Looks at the certificate of the server.
    ///
    /// - Parameter timeout: the most time to spend.
    /// - Returns: what its dates say; `nil` if they are not the reason, or if it could not be seen.
    func find(within timeout: TimeAmount) async -> CertificateFinding? {
        guard let context = try? self.makeContext() else { return nil }
        let seen = self.loop.makePromise(of: [NIOSSLCertificate].self)
        let connection = self.connect(with: context, seen: seen, timeout: timeout)
        connection.whenFailure { seen.fail($0) }
        let timer = self.loop.scheduleTask(in: timeout) { seen.fail(Refused()) }
        let certificates = try? await seen.futureResult.get()
        timer.cancel()
        connection.whenSuccess { $0.close(promise: nil) }
        // The machine's clock, not one that is given: it is by this one that BoringSSL has decided.
        return self.finding(certificates ?? [], now: Timestamp(Date()))
    }

    /// Looks at the dates of the certificates that may be the reason, the server's own first.
    ///
    /// What would not be trusted in its time either is not trusted, and that is what there is to mend. Whom the system
    /// trusts is not known here; then the dates of the server's own certificate are all that is gone by.
    func finding(_ shown: [NIOSSLCertificate], now: Timestamp) -> CertificateFinding? {
        let suspects =
            if let roots = self.settings.trustRoots {
                CertificatePath(of: shown, to: roots)?.certificates ?? []
            } else {
                Array(shown.prefix(1))
            }
        return suspects.enumerated().lazy
            .compactMap { CertificateFinding($0.element, isOwn: $0.offset == 0, now: now) }.first
    }

    private func makeContext() throws -> NIOSSLContext {
        var configuration = self.settings.forNIOSSL
        configuration.certificateVerification = .fullVerification
        // Not asked: the callback decides, and reading the system's roots would take its time.
        configuration.trustRoots = .certificates([])
        return try NIOSSLContext(configuration: configuration)
    }

    private func connect(
        with context: NIOSSLContext,
        seen: EventLoopPromise<[NIOSSLCertificate]>,
        timeout: TimeAmount
    ) -> EventLoopFuture<any Channel> {
        let host = self.endpoint.host
        // RFC 6066 section 3: an address is no server name.
        let serverName = (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
        return ClientBootstrap(group: self.loop)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.closeFuture.whenComplete { _ in seen.fail(Refused()) }
                return channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(
                        context: context,
                        serverHostname: serverName
                    ) { (certificates, verdict: EventLoopPromise<NIOSSLVerificationResult>) in
                        seen.succeed(certificates)
                        verdict.succeed(NIOSSLVerificationResult.failed)
                    }
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .connect(host: host, port: self.endpoint.port)
    }
}
