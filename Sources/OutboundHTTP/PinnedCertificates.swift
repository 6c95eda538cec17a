import Foundation
import IDCardCore
import NIOCore
import NIOSSL

/// The certificates of which a server must show one itself, whoever has issued it.
///
/// BoringSSL ends a chain only at a certificate that has issued itself, so one of an authority is no trust root. Instead
/// the handshake, which proves that the server has the key, accepts any certificate, and it is compared before the
/// connection is given to a request: async-http-client hands out none before its initializer has succeeded.
struct PinnedCertificates: Hashable, Sendable {
    /// Why a connection is not used.
    enum Refusal: Error, Equatable {
        /// The server shows a certificate that is not pinned, or none.
        case notPinned
        /// The server shows a pinned certificate out of its time.
        case outOfTime(CertificateFinding)
    }

    /// The certificates, each as a whole.
    let certificates: [NIOSSLCertificate]

    /// Checks a connection that has just been opened; one that fails is closed. To be called on its event loop.
    func check(_ channel: any Channel) -> EventLoopFuture<Void> {
        do {
            try self.compare(channel)
            return channel.eventLoop.makeSucceededVoidFuture()
        } catch {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    private func compare(_ channel: any Channel) throws(Refusal) {
        // There is no certificate either where there is no TLS, which `OutboundHTTPClient.check(_:)` lets nobody ask for.
        let shown = (try? channel.pipeline.syncOperations.nioSSL_peerCertificate()) ?? nil
        guard let shown, self.certificates.contains(shown) else { throw .notPinned }
        // The machine's clock: what BoringSSL goes by elsewhere.
        if let finding = CertificateFinding(shown, now: Timestamp(Date())) { throw .outOfTime(finding) }
    }
}
