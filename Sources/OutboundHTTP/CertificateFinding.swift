import IDCardCore
import NIOSSL

/// What is wrong with the dates of a certificate.
struct CertificateFinding: Equatable, Sendable {
    /// On which side of its time the present is.
    enum Dates: Equatable, Sendable {
        /// It was valid until then.
        case expired(Timestamp)
        /// It will be valid from then.
        case notYetValid(Timestamp)
    }

    /// The dates.
    let dates: Dates
    /// Whether it is the server's own certificate, not one of those it is issued by.
    let isOwn: Bool

    /// Looks at the dates of a certificate; `nil` if nothing is wrong with them.
    init?(_ certificate: NIOSSLCertificate, isOwn: Bool = true, now: Timestamp) {
        let end = Timestamp(millisecondsSinceEpoch: Int64(certificate.notValidAfter) * 1000)
        let start = Timestamp(millisecondsSinceEpoch: Int64(certificate.notValidBefore) * 1000)
        if end < now {
            self.dates = .expired(end)
        } else if start > now {
            self.dates = .notYetValid(start)
        } else {
            return nil
        }
        self.isOwn = isOwn
    }
}
