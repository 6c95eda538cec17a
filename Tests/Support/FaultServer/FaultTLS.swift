import NIOSSL

/// The TLS side of the fault server.
package struct FaultTLS: Sendable {
    /// The certificate chain in PEM, the server's own first.
    package var certificates: String
    /// The private key in PEM.
    package var privateKey: String
    /// The certificate authority in PEM whose certificates clients must show; `nil` asks for none.
    package var clientAuthority: String?
    /// Whether TLS 1.3 is left out, under which a client learns of its refused certificate within the handshake.
    package var isLimitedToTLS12 = false

    /// Describes a TLS server.
    package init(
        certificates: String,
        privateKey: String,
        clientAuthority: String? = nil,
        isLimitedToTLS12: Bool = false
    ) {
        self.certificates = certificates
        self.privateKey = privateKey
        self.clientAuthority = clientAuthority
        self.isLimitedToTLS12 = isLimitedToTLS12
    }

    func makeContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(self.certificates.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(self.privateKey.utf8), format: .pem))
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
