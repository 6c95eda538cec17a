import NIOSSL

/// The TLS side of the fault server.
package struct FaultTLS: Sendable {
    private let server: TestCertificate
    /// The certificate authority in PEM whose certificates clients must show; `nil` asks for none.
    package var clientAuthority: String?
    /// Whether TLS 1.3 is left out, under which a client learns of its refused certificate within the handshake.
    package var isLimitedToTLS12 = false

    package init(_ server: TestCertificate) { self.server = server }

    func makeContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(self.server.certificate.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(self.server.key.utf8), format: .pem))
        )
        if let clientAuthority = self.clientAuthority {
            let authorities = try NIOSSLCertificate.fromPEMBytes(Array(clientAuthority.utf8))
            configuration.trustRoots = .certificates(authorities)
            // A server checks no host name.
            configuration.certificateVerification = .noHostnameVerification
        }
        if self.isLimitedToTLS12 { configuration.maximumTLSVersion = .tlsv12 }
        return try NIOSSLContext(configuration: configuration)
    }
}
