import NIOSSL

/// Checks that a certificate is issued for a host name, not just for the address that the name resolves to.
///
/// NIOSSL also accepts a certificate that holds only the address of the connection. RFC 9525 section 6.1 compares a name with
/// names only: an attacker who makes a name resolve to his own machine can get a certificate for that machine's address from a
/// public authority.
enum CertificateHost {
    /// Whether a name of the certificate is the host in ASCII, or a wildcard for its first label (RFC 9525 section 6.3).
    ///
    /// The certificate must already be verified by NIOSSL. Without alternative names, NIOSSL has compared the common name, and
    /// the result is `true`.
    static func isNamed(_ certificate: NIOSSLCertificate, _ host: String) -> Bool {
        let names = certificate._subjectAlternativeNames()
        guard !names.isEmpty else { return true }
        // A final dot is for the name service only.
        let host = (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
        let parent = host.firstIndex(of: ".").map { host[$0...] }
        return names.contains { entry in
            guard entry.nameType == .dnsName else { return false }
            let name = entry.contents.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }.lowercased()
            return name == host || (name.hasPrefix("*.") && name.dropFirst() == parent)
        }
    }
}
