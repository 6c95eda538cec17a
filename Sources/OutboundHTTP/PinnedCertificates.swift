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
    /// The server shows another certificate, or one whose time has not come or is over.
    struct Mismatch: Error {}

    /// The certificates, each as a whole.
    let certificates: [NIOSSLCertificate]

    /// Checks a connection that has just been opened; one that fails is closed.
    func check(_ channel: any Channel) -> EventLoopFuture<Void> {
        // The machine's clock: what BoringSSL goes by elsewhere.
        let now = Timestamp(Date())
        do {
            guard let shown = try channel.pipeline.syncOperations.nioSSL_peerCertificate(),
                self.certificates.contains(shown), shown.isValid(at: now)
            else { throw Mismatch() }
            return channel.eventLoop.makeSucceededVoidFuture()
        } catch {
            // Also where there is no TLS at all, which ``OutboundHTTPClient/check(_:)`` lets nobody ask for.
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(Mismatch())
        }
    }
}

extension NIOSSLCertificate {
    fileprivate func isValid(at now: Timestamp) -> Bool {
        let seconds = now.millisecondsSinceEpoch / 1000
        return Int64(self.notValidBefore) <= seconds && seconds < Int64(self.notValidAfter)
    }
}
