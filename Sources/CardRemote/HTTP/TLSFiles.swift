import CardModel
import Foundation
import Glibc
import NIOSSL
import Synchronization

/// The TLS settings of an endpoint, as its files were read last; each request names them, so that a connection by earlier
/// files is not used.
final class CurrentTLS: Sendable {
    private let files: TLSFiles
    private let settings: Mutex<TLSConfiguration>

    init(_ files: TLSFiles) throws(CodedError) {
        self.files = files
        self.settings = Mutex(try files.configuration())
    }

    var configuration: TLSConfiguration { self.settings.withLock(\.self) }

    /// Reads the files again for the connections to come; what is under way goes on as it is, and where a file has a mistake
    /// all goes on so.
    func reload() throws(CodedError) {
        let configuration = try self.files.configuration()
        self.settings.withLock { $0 = configuration }
    }
}

/// Reads and checks the files of a TLS connection when the endpoint is set up, so that a mistake is named before a card
/// meets it.
struct TLSFiles {
    /// The section of the configuration that names the files, such as `delivery`.
    let section: String
    let settings: EndpointSettings.TLS
    /// Whether connections are encrypted: somebody must vouch for the server then.
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

    /// Whether the system names authorities, where NIOSSL looks for them: slim images hold none.
    private static var hasAuthorities: Bool {
        ["/etc/ssl/certs", "/etc/pki/tls/certs"].contains { folder in
            (try? FileManager.default.contentsOfDirectory(atPath: folder))?.isEmpty == false
        }
    }

    private func identify(_ configuration: inout TLSConfiguration, _ path: String, _ key: String) throws(CodedError) {
        let chain = try self.certificates(path, key: "client_certificate")
        configuration.certificateChain = chain.map { .certificate($0) }
        var status = stat()
        if stat(key, &status) == 0, let refusal = SecretRights.refusal(of: key, status) {
            throw Self.invalid(.textLabelled(self.key("client_key"), refusal))
        }
        do {
            // The library's error is not kept: it might quote the key.
            let bytes = PEMFile(path: key).bytes
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: bytes, format: .pem))
        } catch {
            let other = PEMFile(path: key).otherKind(isKey: true)
            let name = self.key("client_key")
            throw Self.invalid(other.map { .textLabelled(name, $0) } ?? .tlsKeyUnreadable(name, key))
        }
        var trial = configuration
        // So that the system's certificates are not read for this.
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
        // A bundle of authorities holds some that are over; one that holds nothing else is a mistake.
        let now = Timestamp(Date())
        let living = certificates.filter { Self.end(of: $0) >= now }
        if let expired = certificates.first(where: { Self.end(of: $0) < now }), key != "ca_file" || living.isEmpty {
            let day = String(Self.end(of: expired).description.prefix(10))
            throw Self.invalid(.tlsCertificateExpired(self.key(key), path, day: day), "tls_certificate_expired")
        }
        return living
    }

    private func key(_ name: String) -> String { "\(self.section).tls.\(name)" }

    private static func invalid(_ message: Message, _ code: String = "tls_file_invalid") -> CodedError {
        CodedError(ReasonCode(rawValue: code), .configuration, message)
    }

    static func end(of certificate: NIOSSLCertificate) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: Int64(certificate.notValidAfter) * 1000)
    }
}

/// Tells whether a certificate is made out to a host name, not just to the address that the name leads to.
///
/// NIOSSL lets a connection to a name pass also when the certificate holds the address it was made to. RFC 9525 section
/// 6.1 has a name compared with names alone: who can make a name lead to a machine of his own can have a certificate
/// for that machine's address from a public authority.
enum CertificateHost {
    /// Whether one of the names of the server's certificate is a host name in ASCII, or a wildcard for its first label (RFC 9525
    /// section 6.3).
    ///
    /// To be asked about a certificate that NIOSSL has verified: one without any alternative name was compared by its
    /// common name, which is not looked at again.
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
