extension ConfigurationChecks {
    /// The sections that have keys of TLS.
    static let tlsSections = ["verification", "delivery"]

    /// One idea of whom to trust, a whole client identity, and files that can be used.
    var tlsProblems: [ConfigurationError.Problem] {
        Self.tlsSections.flatMap { section in
            self.trustProblems(section) + self.identityProblems(section) + self.exposureProblems(section)
                + self.plainTextProblems(section)
                + self.certificateProblems(section)
        }
    }

    private func trustProblems(_ section: String) -> [ConfigurationError.Problem] {
        let insecure = "\(section).tls.insecure"
        let set = ["\(section).tls.ca_file", "\(section).tls.pinned_certificates"].filter(self.isSet)
        if self.values.find(insecure, \.boolean) == true, let first = set.first {
            let message =
                "\(insecure) checks no certificate, so \(set.joined(separator: " and ")) cannot hold: remove one"
            return [.init(.conflict, key: first, message)]
        }
        guard set.count == 2 else { return [] }
        let message =
            "\(set[0]) and \(set[1]) exclude each other: trust either an authority or the certificates themselves"
        return [.init(.conflict, key: set[1], message)]
    }

    private func identityProblems(_ section: String) -> [ConfigurationError.Problem] {
        let paths = ["\(section).tls.client_certificate", "\(section).tls.client_key"]
        // A path that could not be read is a problem of its own.
        guard !paths.contains(where: { self.values[$0] == nil }) else { return [] }
        let missing = paths.filter { !self.isSet($0) }
        guard missing.count == 1, let path = missing.first else { return [] }
        return [.init(.missing, key: path, "\(paths[0]) and \(paths[1]) come together: set \(path), too")]
    }

    /// Whoever checks no certificate must at least stay on this machine.
    private func exposureProblems(_ section: String) -> [ConfigurationError.Problem] {
        let key = "\(section).tls.insecure"
        guard !self.embedded, self.values.find(key, \.boolean) == true,
            self.values.find("\(section).tls.insecure_force", \.boolean) == false,
            let url = self.values.find("\(section).url", \.url), !url.isPlainText
        else { return [] }
        // To a proxy on another machine, localhost is that machine.
        let proxy = self.values.proxy("\(section).proxy")
        guard !url.isLoopback || proxy?.isLoopback == false else { return [] }
        let place = url.isLoopback ? "\(section).proxy" : url.host
        return [
            .init(
                .insecureConnection,
                key: key,
                "\(key) is refused for another machine (\(place)): anyone on the way could answer in its place and read "
                    + "photos, personal data and credentials. Trust its authority "
                    + "(\(section).tls.ca_file) or its certificate (\(section).tls.pinned_certificates) instead; "
                    + "\(section).tls.insecure_force overrides this"
            )
        ]
    }

    /// Who names certificates means an encrypted connection.
    private func plainTextProblems(_ section: String) -> [ConfigurationError.Problem] {
        guard !self.embedded, let url = self.values.find("\(section).url", \.url), url.isPlainText else { return [] }
        let pins = "\(section).tls.pinned_certificates"
        let others = ["\(section).tls.ca_file", "\(section).tls.client_certificate"]
        let set = ([pins] + (url.isLoopback ? [] : others)).filter(self.isSet)
        guard let first = set.first else { return [] }
        let message =
            "\(section).url is an http address, over which nothing is encrypted and \(set.joined(separator: " and ")) "
            + "cannot hold: use https, or remove \(set.count == 1 ? "it" : "them")"
        return [.init(.insecureConnection, key: first, message)]
    }

    private func certificateProblems(_ section: String) -> [ConfigurationError.Problem] {
        guard !self.embedded, self.readsFiles else { return [] }
        var problems: [ConfigurationError.Problem] = []
        for name in ["ca_file", "pinned_certificates", "client_certificate"] {
            let key = "\(section).tls.\(name)"
            let paths = self.values.find(key, \.list) ?? self.values.find(key, \.text).map { [$0] } ?? []
            problems += paths.compactMap { path in
                Self.problem { () throws(ConfigurationError.Problem) -> Void in
                    try CertificateFile(path: path, key: key).check()
                }
            }
        }
        let key = "\(section).tls.client_key"
        if let path = self.values.find(key, \.text) {
            let problem = Self.problem { () throws(ConfigurationError.Problem) -> Void in
                try SecretFile(path: path, key: key).checkPrivateKey()
            }
            problems += problem.map { [$0] } ?? []
        }
        return problems
    }

    private static func problem(
        _ check: () throws(ConfigurationError.Problem) -> Void
    ) -> ConfigurationError.Problem? {
        do throws(ConfigurationError.Problem) {
            try check()
            return nil
        } catch {
            return error
        }
    }

    /// Whether a key holds a value, and not an empty list.
    func isSet(_ path: String) -> Bool {
        switch self.values[path]?.value {
        case nil, .list([]): false
        default: true
        }
    }
}
