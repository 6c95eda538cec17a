import NIOSSL

/// Tells whether a certificate is made out to a host name, not just to the address that the name leads to.
///
/// NIOSSL lets a connection to a name pass also when the certificate holds the address it was made to. RFC 9525 section 6.1 has a
/// name compared with names alone: who can make a name lead to a machine of his own can have a certificate for that machine's
/// address from a public authority.
enum CertificateHost {
    /// Whether one of the certificate's names is a host name, or a wildcard for its first label (RFC 9525 section 6.3).
    ///
    /// To be asked about a certificate that NIOSSL has verified: one without any alternative name was compared by its common
    /// name, which is not looked at again.
    ///
    /// - Parameters:
    ///   - certificate: the server's own.
    ///   - host: the name, in ASCII; not an address.
    static func isNamed(_ certificate: NIOSSLCertificate, _ host: String) -> Bool {
        let names = certificate._subjectAlternativeNames()
        guard !names.isEmpty else { return true }
        // A dot at the end of a name is for the name service.
        let host = (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
        let parent = host.firstIndex(of: ".").map { host[$0...] }
        return names.contains { entry in
            guard entry.nameType == .dnsName else { return false }
            let name = entry.contents.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }.lowercased()
            return name == host || (name.hasPrefix("*.") && name.dropFirst() == parent)
        }
    }
}
