import CardModel
import Foundation
import Glibc
import NIOSSL
import Synchronization

/// The TLS settings of an endpoint, as last read from its files. Each request is made with the current settings, so that
/// connections made with earlier ones are not reused.
final class CurrentTLS: Sendable {
    private let files: TLSFiles
    private let settings: Mutex<TLSConfiguration>

    init(_ files: TLSFiles) throws(CodedError) {
        self.files = files
        self.settings = Mutex(try files.configuration())
    }

    var configuration: TLSConfiguration { self.settings.withLock(\.self) }

    /// Reads the files again, for new connections; if a file has a mistake, throws and keeps the old settings.
    func reload() throws(CodedError) {
        let configuration = try self.files.configuration()
        self.settings.withLock { $0 = configuration }
    }
}

/// Reads and checks the files for TLS when an endpoint is set up, so that a mistake is reported before a card is sent.
struct TLSFiles {
    /// The section of the configuration that names the files, such as `delivery`.
    let section: String
    let settings: EndpointSettings.TLS
    /// Whether connections are encrypted, so that there must be trusted authorities.
    var isUsed = false

    /// Makes the settings of a connection.
    ///
    /// - Throws: `tls_file_invalid`, `tls_certificate_expired`, `tls_key_mismatch`, `tls_no_authorities`.
    func configuration() throws(CodedError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let path = self.settings.caFile {
            configuration.trustRoots = .certificates(try self.certificates(path, key: "ca_file"))
        } else if self.isUsed, !Self.hasAuthorities {
            throw Self.invalid(.tlsNoAuthorities(self.key("ca_file")), "tls_no_authorities")
        }
        switch (self.settings.clientCertificate, self.settings.clientKey) {
        case (nil, nil): break
        case (let certificate?, let key?): try self.identify(&configuration, certificate, key)
        case (_?, nil): throw Self.invalid(.tlsPairMissing(self.key("client_key"), beside: "client_certificate"))
        case (nil, _?): throw Self.invalid(.tlsPairMissing(self.key("client_certificate"), beside: "client_key"))
        }
        return configuration
    }

    /// Whether the system has trusted authorities where NIOSSL looks for them; slim container images have none.
    private static var hasAuthorities: Bool {
        ["/etc/ssl/certs", "/etc/pki/tls/certs"].contains { folder in
            (try? FileManager.default.contentsOfDirectory(atPath: folder))?.isEmpty == false
        }
    }

    /// Adds our certificate and key to a configuration, after checking that they are readable and belong together.
    private func identify(_ configuration: inout TLSConfiguration, _ path: String, _ key: String) throws(CodedError) {
        let chain = try self.certificates(path, key: "client_certificate")
        configuration.certificateChain = chain.map { .certificate($0) }
        var status = stat()
        if stat(key, &status) == 0, let refusal = SecretRights.refusal(of: key, status) {
            throw Self.invalid(.textLabelled(self.key("client_key"), refusal))
        }
        do {
            // The library's error is dropped, since it might quote the key.
            let bytes = PEMFile(path: key).bytes
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: bytes, format: .pem))
        } catch {
            let other = PEMFile(path: key).otherKind(isKey: true)
            let name = self.key("client_key")
            throw Self.invalid(other.map { .textLabelled(name, $0) } ?? .tlsKeyUnreadable(name, key))
        }
        var trial = configuration
        // The check of the key needs no authorities, so this avoids reading the system's.
        trial.trustRoots = .certificates([])
        guard (try? NIOSSLContext(configuration: trial)) != nil else {
            throw Self.invalid(.tlsKeyMismatch(self.key("client_key"), key), "tls_key_mismatch")
        }
    }

    private func certificates(_ path: String, key: String) throws(CodedError) -> [NIOSSLCertificate] {
        let file = PEMFile(path: path)
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(file.bytes), !certificates.isEmpty else {
            let other = file.otherKind(isKey: false).map { Message.textLabelled(self.key(key), $0) }
            throw Self.invalid(other ?? .tlsCertificatesUnreadable(self.key(key), path))
        }
        // A file of authorities may have expired certificates among others.
        let now = Timestamp(Date())
        let valid = certificates.filter { Self.expiry(of: $0) >= now }
        if let expired = certificates.first(where: { Self.expiry(of: $0) < now }), key != "ca_file" || valid.isEmpty {
            let day = String(Self.expiry(of: expired).description.prefix(10))
            throw Self.invalid(.tlsCertificateExpired(self.key(key), path, day: day), "tls_certificate_expired")
        }
        return valid
    }

    private func key(_ name: String) -> String { "\(self.section).tls.\(name)" }

    private static func invalid(_ message: Message, _ code: String = "tls_file_invalid") -> CodedError {
        .configuration(code, message)
    }

    static func expiry(of certificate: NIOSSLCertificate) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: Int64(certificate.notValidAfter) * 1000)
    }
}
