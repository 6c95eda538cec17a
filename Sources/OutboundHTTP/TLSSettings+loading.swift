import IDCardCore
import NIOSSL

extension TLSSettings {
    /// Reads the trust list; `nil` for the system's roots.
    static func trustRoots(_ trust: Trust, now: Timestamp) throws(OutboundHTTPError) -> [NIOSSLCertificate]? {
        guard case .certificates(let sources) = trust else { return nil }
        let origins = try self.certificates(sources, called: "trusted certificate", now: now)
        try self.checkAnchors(origins)
        return origins.map(\.certificate)
    }

    /// Reads the pins; `nil` if there are none.
    static func pins(_ trust: Trust, now: Timestamp) throws(OutboundHTTPError) -> PinnedCertificates? {
        guard case .pinned(let sources) = trust else { return nil }
        let origins = try self.certificates(sources, called: "pinned certificate", now: now)
        return PinnedCertificates(certificates: origins.map(\.certificate))
    }

    private static func certificates(
        _ sources: [PEMSource],
        called word: String,
        now: Timestamp
    ) throws(OutboundHTTPError) -> [(certificate: NIOSSLCertificate, name: String)] {
        guard !sources.isEmpty else {
            throw OutboundHTTPError(
                .tlsTrustIncomplete,
                "the list of \(word)s is empty: name at least one file, or trust the system's roots"
            )
        }
        var origins: [(certificate: NIOSSLCertificate, name: String)] = []
        for (index, source) in sources.enumerated() {
            let name = "\(word) \(index + 1)"
            let described = source.described(as: name)
            let certificates = try self.certificates(source, name: name)
            // A bundle of authorities holds some that are over; one that holds nothing else is a mistake.
            let living = certificates.filter { Self.end(of: $0) >= now }
            if living.isEmpty, let first = certificates.first {
                try self.checkExpiry(of: first, name: described, now: now)
            }
            origins += living.map { ($0, described) }
        }
        return origins
    }

    /// Reads chain and key of a client, and checks that they belong together.
    static func load(
        _ identity: ClientIdentity,
        now: Timestamp
    ) throws(OutboundHTTPError) -> ([NIOSSLCertificate], NIOSSLPrivateKey) {
        let chain = try self.certificates(identity.certificates, name: "the client certificate")
        let chainName = identity.certificates.described(as: "the client certificate")
        for certificate in chain {
            try self.checkExpiry(of: certificate, name: chainName, now: now)
        }
        let keyName = identity.privateKey.described(as: "the client key")
        let bytes = try identity.privateKey.read(as: "the client key")
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        } catch {
            // The library's error is not kept: it might quote the key.
            let isEncrypted = String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED")
            throw OutboundHTTPError(
                .tlsFileInvalid,
                isEncrypted
                    ? "\(keyName) is encrypted: store it without passphrase, readable by this user alone"
                    : "\(keyName) holds no private key in PEM: it must hold a block 'BEGIN PRIVATE KEY'"
            )
        }
        try self.checkPair(chain, key, chainName: chainName, keyName: keyName)
        return (chain, key)
    }

    private static func certificates(
        _ source: PEMSource,
        name: String
    ) throws(OutboundHTTPError) -> [NIOSSLCertificate] {
        let bytes = try source.read(as: name)
        do {
            let certificates = try NIOSSLCertificate.fromPEMBytes(bytes)
            if !certificates.isEmpty { return certificates }
        } catch {
            // Said below: the library's text names neither the file nor what to do.
        }
        throw OutboundHTTPError(
            .tlsFileInvalid,
            "\(source.described(as: name)) holds no certificate in PEM: it must hold a block 'BEGIN CERTIFICATE'"
        )
    }

    private static func checkExpiry(
        of certificate: NIOSSLCertificate,
        name: String,
        now: Timestamp
    ) throws(OutboundHTTPError) {
        let end = Self.end(of: certificate)
        guard end < now else { return }
        throw OutboundHTTPError(
            .tlsCertificateExpired,
            "\(name) has expired on \(Self.day(end)): replace it, or remove it from the list"
        )
    }

    private static func end(of certificate: NIOSSLCertificate) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: Int64(certificate.notValidAfter) * 1000)
    }

    /// Checks that a connection can be believed by each certificate: only one that has issued itself ends a chain, so
    /// that of another one the issuer must be listed too.
    private static func checkAnchors(
        _ origins: [(certificate: NIOSSLCertificate, name: String)]
    ) throws(OutboundHTTPError) {
        let names = origins.map { CertificateNames($0.certificate) }
        for (origin, name) in zip(origins, names) {
            // A certificate that cannot be taken apart is left to the handshake.
            guard let name, !names.contains(where: { $0?.subject == name.issuer }) else { continue }
            throw OutboundHTTPError(
                .tlsTrustIncomplete,
                "\(origin.name) is issued by another certificate that is not listed: add its issuer's, up to the one"
                    + " that has issued itself"
            )
        }
    }

    private static func checkPair(
        _ chain: [NIOSSLCertificate],
        _ key: NIOSSLPrivateKey,
        chainName: String,
        keyName: String
    ) throws(OutboundHTTPError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(key)
        // So that the system's roots are not read for this.
        configuration.trustRoots = .certificates([])
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw OutboundHTTPError(
                .tlsKeyMismatch,
                "\(keyName) does not belong to the first certificate of \(chainName): the server's certificate must be"
                    + " followed by its issuers', and the key be the one it was requested with"
            )
        }
    }

    /// Writes the day of a time as `2024-01-31`, in UTC.
    static func day(_ time: Timestamp) -> String {
        String(time.description.prefix(10))
    }
}
