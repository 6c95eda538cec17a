import Foundation
package import IDCardCore
package import NIOSSL

/// How TLS connections are made: whom we believe, and who we are. All files are read and checked when it is made.
///
/// ```swift
/// configuration.tls = try TLSSettings(trust: .certificates([.file("/etc/idcard/backend-ca.pem")]))
/// ```
package struct TLSSettings: Hashable, Sendable {
    /// Which certificates a server may show.
    package enum Trust: Hashable, Sendable {
        /// One issued by an authority that the system knows.
        case systemRoots
        /// One issued by one of these, or one of these itself, and no other. A source may hold several certificates.
        /// For a change of certificates list the old and the new one.
        case certificates([PEMSource])
        /// Exactly one of these, whoever has issued it and for whatever host; in its time. For a change of certificates
        /// list the old and the new one.
        case pinned([PEMSource])
    }

    /// Who we are, for servers that ask for a certificate of the client.
    package struct ClientIdentity: Hashable, Sendable {
        /// The certificate, followed by those of its issuers.
        package var certificates: PEMSource
        /// The private key; its file's permissions are checked by whoever names the file.
        package var privateKey: PEMSource

        /// Names both.
        package init(certificates: PEMSource, privateKey: PEMSource) {
            self.certificates = certificates
            self.privateKey = privateKey
        }
    }

    /// Whether servers are believed unseen; see ``OutboundHTTPClient/check(_:)``.
    package let isInsecure: Bool
    /// Whether that is so for servers elsewhere, too.
    package let isInsecureForced: Bool
    /// The only certificates that are trusted; `nil` for the system's.
    let trustRoots: [NIOSSLCertificate]?
    /// The certificates of which a server must show one itself; `nil` if none are pinned.
    let pins: PinnedCertificates?
    let clientChain: [NIOSSLCertificate]
    let clientKey: NIOSSLPrivateKey?

    /// Trusts the system's roots and shows no certificate.
    package init() {
        self.isInsecure = false
        self.isInsecureForced = false
        self.trustRoots = nil
        self.pins = nil
        self.clientChain = []
        self.clientKey = nil
    }

    /// Reads and checks certificates and key.
    ///
    /// - Parameters:
    ///   - trust: which certificates a server may show.
    ///   - clientIdentity: who we are; `nil` shows no certificate.
    ///   - insecure: believes every server on this machine, whatever certificate it shows; for others the sending is
    ///     refused.
    ///   - insecureForced: with `insecure`, believes every server anywhere: whoever sits on the way reads all.
    ///   - now: the time by which certificates have expired or not.
    /// - Throws: ``OutboundHTTPError``: `tls_file_unreadable`, `tls_file_invalid`, `tls_certificate_expired`,
    ///   `tls_trust_incomplete`, `tls_key_mismatch`.
    package init(
        trust: Trust,
        clientIdentity: ClientIdentity? = nil,
        insecure: Bool = false,
        insecureForced: Bool = false,
        now: Timestamp = Timestamp(Date())
    ) throws(OutboundHTTPError) {
        self.isInsecure = insecure
        self.isInsecureForced = insecure && insecureForced
        self.trustRoots = try Self.trustRoots(trust, now: now)
        self.pins = try Self.pins(trust, now: now)
        if let clientIdentity {
            let (chain, key) = try Self.load(clientIdentity, now: now)
            self.clientChain = chain
            self.clientKey = key
        } else {
            self.clientChain = []
            self.clientKey = nil
        }
    }

    /// Whether a server is believed by its authority and its name alone: neither pinned nor unverified.
    package var isVerifyingByName: Bool { self.pins == nil && !self.isInsecure }

    /// The same in the terms of NIOSSL; pins, which are compared after the handshake, are not part of it.
    package var forNIOSSL: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let trustRoots = self.trustRoots { configuration.trustRoots = .certificates(trustRoots) }
        // Pins are compared when the handshake is over, before anything is sent: see `PinnedCertificates`.
        if self.isInsecure || self.pins != nil { configuration.certificateVerification = .none }
        configuration.certificateChain = self.clientChain.map { .certificate($0) }
        configuration.privateKey = self.clientKey.map { .privateKey($0) }
        return configuration
    }
}

extension TLSSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What is trusted and whether there is a certificate, never a key.
    package var description: String {
        let trust =
            self.pins.map { "\($0.certificates.count) pins" } ?? self.trustRoots.map { "\($0.count) certificates" }
            ?? "system roots"
        let identity = self.clientKey == nil ? "no client certificate" : "client certificate"
        return "TLSSettings(\(self.isInsecure ? "INSECURE" : trust), \(identity))"
    }
    /// The same as ``description``.
    package var debugDescription: String { self.description }
    /// A mirror without the key.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
