import NIOSSL

/// The way from a server's certificate to a trusted one.
///
/// It goes by names alone: for telling "out of its time" from "not trusted" once BoringSSL, which also checks the
/// signatures, has refused. Whether to believe is never decided by it.
struct CertificatePath {
    /// The certificates that were shown, the server's own first, each issued by the next and the last by a trusted one,
    /// unless it is trusted itself.
    let certificates: [NIOSSLCertificate]

    /// Looks for the way; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - shown: what the server has sent: its own certificate, then others in any order, also unrelated ones.
    ///   - roots: the trusted ones.
    init?(of shown: [NIOSSLCertificate], to roots: [NIOSSLCertificate]) {
        guard var last = shown.first else { return nil }
        let trusted = roots.compactMap { CertificateNames($0)?.subject }
        var others = shown.dropFirst().compactMap { other in CertificateNames(other).map { (other, $0.subject) } }
        var path = [last]
        while !roots.contains(last) {
            // One that has issued itself and is not trusted leads nowhere, whatever its name.
            guard let names = CertificateNames(last), names.issuer != names.subject else { return nil }
            if trusted.contains(names.issuer) { break }
            guard let next = others.firstIndex(where: { $0.1 == names.issuer }) else { return nil }
            last = others.remove(at: next).0
            path.append(last)
        }
        self.certificates = path
    }
}
