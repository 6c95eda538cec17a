/// Says what may be fetched, before anything is resolved: scheme, port and host of the URL and of every redirect.
struct FetchRules: Sendable {
    /// The hosts; none allows nothing (`fetch.hosts`).
    let hosts: [HostPattern]
    /// The ports (`fetch.ports`).
    let ports: Set<Int>
    /// Whether plain `http` is allowed (`fetch.allow_http`).
    let allowsHTTP: Bool
    /// The most bytes of a URL (`fetch.max_url_bytes`).
    let maximumURLBytes: Int

    /// Takes a URL apart and checks it.
    ///
    /// - Returns: the target, and what messages may call its host: the entry of the list that names it.
    /// - Throws: ``FetchRefusal``.
    func check(_ url: String) throws(FetchRefusal) -> (target: FetchTarget, label: String) {
        let target = try FetchTarget(url, maximumLength: self.maximumURLBytes)
        guard !self.hosts.isEmpty else {
            throw FetchRefusal(
                .fetchHostRefused,
                "no image is fetched by URL as long as fetch.hosts is empty: name the hosts that images may come from"
            )
        }
        guard let entry = self.hosts.first(where: { $0.matches(target.host) }) else {
            throw FetchRefusal(
                .fetchHostRefused,
                "the host of the image's URL is not in fetch.hosts: add it if images may come from there"
            )
        }
        guard target.usesTLS || self.allowsHTTP else {
            throw FetchRefusal(
                .fetchSchemeRefused,
                "the image's URL begins with http://, and fetch.allow_http is off: use https"
            )
        }
        guard self.ports.contains(target.port) else {
            throw FetchRefusal(
                .fetchPortRefused,
                "the image's URL names port \(target.port), which is not in fetch.ports"
            )
        }
        return (target, entry.description)
    }
}
