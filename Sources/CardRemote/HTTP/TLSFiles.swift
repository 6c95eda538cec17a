import CardModel
import Foundation
import NIOSSL

/// Reads and checks the files of a TLS connection when the endpoint is set up, so that a mistake is named before a card meets it.
struct TLSFiles {
    /// The section of the configuration that names the files, such as `delivery`.
    let section: String
    /// The time by which certificates have expired or not.
    let now: Timestamp

    /// Makes the settings of a connection.
    ///
    /// - Throws: `tls_file_unreadable`, `tls_file_invalid`, `tls_certificate_expired`, `tls_key_mismatch`.
    func configuration(_ settings: EndpointSettings.TLS) throws(CodedError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let path = settings.caFile {
            let certificates = try self.certificates(path, key: "ca_file")
            // A bundle of authorities holds some that are over; one that holds nothing else is a mistake.
            let living = certificates.filter { !self.isExpired($0) }
            guard !living.isEmpty else { throw self.expired(path, key: "ca_file", certificates[0]) }
            configuration.trustRoots = .certificates(living)
        }
        switch (settings.clientCertificate, settings.clientKey) {
        case (nil, nil): break
        case (let certificate?, let key?): try self.identify(&configuration, certificate, key)
        default:
            throw self.error(
                "tls_file_invalid",
                "\(self.section).tls.client_certificate and \(self.section).tls.client_key belong together; set both or none"
            )
        }
        return configuration
    }

    private func identify(
        _ configuration: inout TLSConfiguration,
        _ certificate: String,
        _ key: String
    ) throws(CodedError) {
        let chain = try self.certificates(certificate, key: "client_certificate")
        if let old = chain.first(where: self.isExpired) {
            throw self.expired(certificate, key: "client_certificate", old)
        }
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(try self.privateKey(key))
        var trial = configuration
        // So that the system's certificates are not read for this.
        trial.trustRoots = .certificates([])
        do {
            _ = try NIOSSLContext(configuration: trial)
        } catch {
            throw self.error(
                "tls_key_mismatch",
                """
                the key \(Redacted(key)) (\(self.section).tls.client_key) does not belong to the first certificate of \
                \(Redacted(certificate)); give the key that the certificate was requested with
                """
            )
        }
    }

    private func privateKey(_ path: String) throws(CodedError) -> NIOSSLPrivateKey {
        let bytes = try self.read(path, key: "client_key")
        do {
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        } catch {
            // The library's error is not kept: it might quote the key.
            let isEncrypted = String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED")
            let what: Message =
                isEncrypted
                ? "is encrypted; store it without passphrase, readable by this user alone"
                : "holds no private key in PEM; it must hold a block BEGIN PRIVATE KEY"
            throw self.invalid(path, key: "client_key", what)
        }
    }

    private func certificates(_ path: String, key: String) throws(CodedError) -> [NIOSSLCertificate] {
        let bytes = try self.read(path, key: key)
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty else {
            throw self.invalid(path, key: key, "holds no certificate in PEM; it must hold a block BEGIN CERTIFICATE")
        }
        return certificates
    }

    private func read(_ path: String, key: String) throws(CodedError) -> [UInt8] {
        let data: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            data = try file.read(upToCount: Limits.pemBytes + 1) ?? Data()
        } catch {
            throw self.error(
                "tls_file_unreadable",
                "the file \(Redacted(path)) (\(self.section).tls.\(key)) cannot be read; check its path and its permissions"
            )
        }
        guard data.count <= Limits.pemBytes else {
            throw self.invalid(
                path,
                key: key,
                "has more than \(Limits.pemBytes) bytes, as no certificates have; check the path"
            )
        }
        return Array(data)
    }

    private func isExpired(_ certificate: NIOSSLCertificate) -> Bool { Self.end(of: certificate) < self.now }

    private func expired(_ path: String, key: String, _ certificate: NIOSSLCertificate) -> CodedError {
        let day = String(Self.end(of: certificate).description.prefix(10))
        return self.error(
            "tls_certificate_expired",
            "the certificate in \(Redacted(path)) (\(self.section).tls.\(key)) expired on \(day); replace it"
        )
    }

    private func invalid(_ path: String, key: String, _ what: Message) -> CodedError {
        self.error("tls_file_invalid", "the file \(Redacted(path)) (\(self.section).tls.\(key)) " + what)
    }

    private func error(_ code: String, _ message: Message) -> CodedError {
        CodedError(ReasonCode(rawValue: code), .configuration, message)
    }

    private static func end(of certificate: NIOSSLCertificate) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: Int64(certificate.notValidAfter) * 1000)
    }
}
