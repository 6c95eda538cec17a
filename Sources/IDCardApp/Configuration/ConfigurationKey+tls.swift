extension ConfigurationKey {
    /// The keys of TLS to one outside service.
    ///
    /// - Parameters:
    ///   - section: the section of the service, such as `delivery`.
    ///   - peer: the service in words.
    static func tlsKeys(of section: String, peer: String) -> [ConfigurationKey] {
        [
            ConfigurationKey(
                "\(section).tls.ca_file",
                .path,
                .unset,
                "PEM file with the only authorities trusted for the \(peer), in place of the system's."
            ),
            ConfigurationKey(
                "\(section).tls.pinned_certificates",
                .paths,
                .value(""),
                "PEM files of the certificates, one of which the \(peer) must show; several for a change."
            ),
            ConfigurationKey(
                "\(section).tls.client_certificate",
                .path,
                .unset,
                "PEM file with the certificate, and its chain, by which the \(peer) knows us."
            ),
            ConfigurationKey(
                "\(section).tls.client_key",
                .path,
                .unset,
                "PEM file (mode 0600) with the private key of `\(section).tls.client_certificate`."
            ),
            ConfigurationKey(
                "\(section).tls.insecure",
                .boolean,
                .value("false"),
                "Do not check the certificate of the \(peer); for tests on this machine."
            ),
            ConfigurationKey(
                "\(section).tls.insecure_force",
                .boolean,
                .value("false"),
                "Allow `\(section).tls.insecure` for another machine, too: anyone on the way can then read everything."
            ),
        ]
    }
}
