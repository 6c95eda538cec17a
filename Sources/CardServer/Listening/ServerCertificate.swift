package import CardModel
import Glibc
import NIOSSL
import Synchronization

/// The files of a certificate, as PEM.
package struct TLSFiles: Hashable, Sendable {
    /// The certificate chain, the server's own certificate first (`server.tls.certificate`).
    package let certificate: String
    /// Its private key (`server.tls.key`).
    package let key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads the files to check that they are usable.
    ///
    /// - Throws: `certificate_unusable`.
    package func check() throws(CodedError) { _ = try self.load() }

    /// - Throws: `certificate_unusable`, if they cannot be read, do not belong together, or other users can read the key.
    func load() throws(CodedError) -> NIOSSLContext {
        var status = stat()
        guard stat(self.key, &status) == 0 else { throw Self.unusable(.certificateKeyMissing(errno)) }
        if let refusal = SecretRights.refusal(of: self.key, status) { throw Self.unusable(refusal) }
        do {
            let chain = try NIOSSLCertificate.fromPEMBytes(PEMFile(path: self.certificate).bytes)
            let key = try NIOSSLPrivateKey(bytes: PEMFile(path: self.key).bytes, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            return try NIOSSLContext(configuration: configuration)
        } catch {
            let other = PEMFile(path: self.certificate).otherKind(isKey: false)
            throw Self.unusable(other ?? PEMFile(path: self.key).otherKind(isKey: true) ?? .certificateNoPair)
        }
    }

    private static func unusable(_ what: Message) -> CodedError {
        CodedError(ReasonCode(rawValue: "certificate_unusable"), .configuration, .certificateUnusable(what))
    }
}

/// The certificate for new connections; it can be replaced without a restart.
final class ServerCertificate: Sendable {
    private let files: TLSFiles
    private let current: Mutex<NIOSSLContext>

    /// - Throws: `certificate_unusable`.
    init(_ files: TLSFiles) throws(CodedError) {
        self.files = files
        self.current = Mutex(try files.load())
    }

    var context: NIOSSLContext { self.current.withLock { $0 } }

    /// Reads the files again; open connections are unchanged.
    ///
    /// - Throws: `certificate_unusable`; then the present certificate stays.
    func reload() throws(CodedError) {
        let context = try self.files.load()
        self.current.withLock { $0 = context }
    }
}
