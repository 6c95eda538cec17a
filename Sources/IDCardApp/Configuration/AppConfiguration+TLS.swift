extension AppConfiguration {
    /// Keys under `verification.tls` or `delivery.tls`.
    package struct TLS: Hashable, Sendable {
        /// Which server certificates are accepted.
        package enum Trust: Hashable, Sendable {
            /// Those that an authority of the system vouches for.
            case system
            /// Those that an authority in this PEM file vouches for (`ca_file`).
            case authorities(path: String)
            /// The ones in these PEM files alone (`pinned_certificates`); never empty.
            case pinned(paths: [String])
            /// Any (`insecure`); for another machine than this one only if `isForced` (`insecure_force`).
            case anything(isForced: Bool)
        }

        /// The certificate by which a server knows us.
        package struct ClientIdentity: Hashable, Sendable {
            /// PEM file with the certificate and its chain (`client_certificate`).
            package let certificatePath: String
            /// PEM file with the private key (`client_key`), which only its owner may read.
            package let keyPath: String
        }

        /// Which server certificates are accepted.
        package let trust: Trust
        /// The certificate by which the server knows us.
        package let identity: ClientIdentity?

        init(_ values: ResolvedConfiguration, section: String) {
            let pins = values.require("\(section).tls.pinned_certificates", \.list)
            if values.require("\(section).tls.insecure", \.boolean) {
                self.trust = .anything(isForced: values.require("\(section).tls.insecure_force", \.boolean))
            } else if let path = values.find("\(section).tls.ca_file", \.text) {
                self.trust = .authorities(path: path)
            } else {
                self.trust = pins.isEmpty ? .system : .pinned(paths: pins)
            }
            if let certificate = values.find("\(section).tls.client_certificate", \.text),
                let key = values.find("\(section).tls.client_key", \.text)
            {
                self.identity = ClientIdentity(certificatePath: certificate, keyPath: key)
            } else {
                self.identity = nil
            }
        }
    }
}
