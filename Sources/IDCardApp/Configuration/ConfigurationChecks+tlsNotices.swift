extension ConfigurationChecks {
    /// What is doubtful about TLS to the outside services.
    var tlsNotices: [ConfigurationNotice] {
        guard !self.embedded else { return [] }
        return Self.tlsSections.flatMap { self.insecurityNotices($0) + self.unusedNotices($0) }
    }

    private func insecurityNotices(_ section: String) -> [ConfigurationNotice] {
        let key = "\(section).tls.insecure"
        let force = "\(section).tls.insecure_force"
        if self.values.find(key, \.boolean) == true {
            return [
                .warning(
                    key: key,
                    "\(key) IS ON: THE CERTIFICATE OF THE SERVER IS NOT CHECKED. Whoever answers gets photos, personal "
                        + "data and credentials; never use this in production"
                )
            ]
        }
        guard self.values.find(force, \.boolean) == true else { return [] }
        return [
            .warning(key: force, "\(force) is on and \(key) is not: it does nothing now and is a trap later; remove it")
        ]
    }

    /// Keys that a plain connection does not look at.
    private func unusedNotices(_ section: String) -> [ConfigurationNotice] {
        guard let url = self.values.find("\(section).url", \.url), url.isPlainText else { return [] }
        let names = ["ca_file", "pinned_certificates", "client_certificate", "client_key", "insecure"]
        let set = names.map { "\(section).tls.\($0)" }.filter {
            self.isSet($0) && self.values.find($0, \.boolean) != false
        }
        guard let first = set.first else { return [] }
        return [
            .warning(key: first, "\(section).url is an http address, so \(set.joined(separator: ", ")) is not used")
        ]
    }
}
