import NIOSSL

/// Checks that a certificate is issued for a host name, not just for the address that the name resolves to.
///
/// NIOSSL also accepts a certificate that has only the address of the connection. That is not safe, and RFC 9525 section 6.1
/// forbids it: an attacker who makes a name resolve to his own machine can get a certificate for this machine's address from a
/// public authority.
enum CertificateHost {
    /// Whether a name in the certificate is the host in ASCII, or has a wildcard for the first label of the host (RFC 9525
    /// section 6.3). NIOSSL must have verified the certificate. `true` if it has no alternative names: then NIOSSL has compared
    /// the common name.
    static func isNamed(_ certificate: NIOSSLCertificate, _ host: String) -> Bool {
        let names = certificate._subjectAlternativeNames()
        guard !names.isEmpty else { return true }
        // A final dot has a meaning only for the name service.
        let host = (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
        let parent = host.firstIndex(of: ".").map { host[$0...] }
        return names.contains { entry in
            guard entry.nameType == .dnsName else { return false }
            let name = entry.contents.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }.lowercased()
            return name == host || (name.hasPrefix("*.") && name.dropFirst() == parent)
        }
    }
}
