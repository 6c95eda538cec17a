import Foundation
import Glibc
import NIOSSL

/// The files of a certificate, as PEM.
package struct TLSFiles: Hashable, Sendable {
    /// The certificate and those that lead to its root, the server's own first (`server.tls.certificate`).
    package var certificate: String
    /// Its private key (`server.tls.key`).
    package var key: String

    /// Names the files.
    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads the files.
    ///
    /// - Throws: `ServerError.certificate`, if they cannot be read, do not belong together, or strangers can read the
    ///   key.
    func load() throws -> NIOSSLContext {
        try self.requirePrivateKeyFile()
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(self.certificate)
            let key = try NIOSSLPrivateKey(file: self.key, format: .pem)
            guard !chain.isEmpty else { throw self.refusal("the file of the certificate holds none") }
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            return try NIOSSLContext(configuration: configuration)
        } catch let error as ServerError {
            throw error
        } catch {
            throw self.refusal("certificate and key cannot be read, or do not belong together", cause: error)
        }
    }

    private func requirePrivateKeyFile() throws {
        var status = stat()
        guard stat(self.key, &status) == 0 else {
            throw self.refusal("the file of the key cannot be found: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & 0o007 == 0 else {
            throw self.refusal("everybody may read the file of the key; take that right away (chmod o=)")
        }
    }

    private func refusal(_ what: String, cause: (any Error)? = nil) -> ServerError {
        ServerError(.certificate, "TLS cannot be had: \(what) (server.tls.certificate, server.tls.key)", cause: cause)
    }
}
