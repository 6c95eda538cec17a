package import OutboundHTTP

/// What may be fetched, from where, and how; the comments name the keys of the configuration.
///
/// Connections are always direct: a proxy would resolve names itself, out of reach of the rules for addresses, so that
/// neither the proxies of the endpoints nor the environment's `HTTPS_PROXY` are used.
package struct FetchSettings: Hashable, Sendable {
    /// The hosts that images may come from (`fetch.hosts`); without any nothing is fetched.
    package var hosts: [HostPattern] = []
    /// Blocks of addresses that are allowed although they are not on the internet (`fetch.allow_addresses`).
    package var allowedAddresses: [AddressBlock] = []
    /// Whether URLs may begin with `http://` (`fetch.allow_http`).
    package var allowsHTTP = false
    /// The ports of URLs (`fetch.ports`); port 80 is of use only with ``allowsHTTP``.
    package var ports: Set<Int> = [80, 443]
    /// How many redirects are followed (`fetch.max_redirects`), 0 to 10; each is checked as the URL is, and none leads
    /// from https to http.
    package var maximumRedirects = 0
    /// The longest URL in bytes (`fetch.max_url_bytes`), of redirects too; signed ones are long.
    package var maximumURLBytes = 8192
    /// The largest image in bytes (`imaging.max_source_bytes`, as for files).
    package var maximumBytes = 33_554_432
    /// How long one attempt may take in all (`fetch.timeout`); what has arrived stays for the next.
    package var timeout: Duration = .seconds(300)
    /// How long a server may be silent (`fetch.stall_timeout`), before its answer and in the middle of it.
    package var stallTimeout: Duration = .seconds(30)
    /// How long the connection to one address may take (`fetch.connect_timeout`).
    package var connectTimeout: Duration = .seconds(5)
    /// How long the resolution of a name may take (`fetch.resolve_timeout`).
    package var resolveTimeout: Duration = .seconds(10)
    /// Up to how many bytes an image is asked for in one request (`fetch.parallel_above`), at least 1 MiB; above, it
    /// comes in ranges of so many bytes, if the server can do that.
    package var parallelAbove = 8_388_608
    /// How many ranges come at a time (`fetch.parallel_ranges`), 1 to 16; 1 asks for everything at once. Each needs
    /// about 2 MiB of memory.
    package var parallelRanges = 4
    /// Whom TLS connections believe (`fetch.tls.*`); never pins, never unverified.
    package var tls = TLSSettings()
    /// The `User-Agent` header (`fetch.user_agent`).
    package var userAgent = "idcard-pipeline"

    /// Takes the documented defaults, by which nothing is fetched.
    package init() {}

    /// Checks the numbers against their ranges.
    ///
    /// - Throws: ``FetchError``: `invalid_setting`, naming the key and the value, or `tls_unusable`.
    func check() throws(FetchError) {
        try Self.check("fetch.max_redirects", self.maximumRedirects, in: 0...10)
        try Self.check("fetch.max_url_bytes", self.maximumURLBytes, in: 16...65_536)
        try Self.check("imaging.max_source_bytes", self.maximumBytes, in: 1...1 << 40)
        try Self.check("fetch.parallel_above", self.parallelAbove, in: PieceWriter.pieceSize...1 << 40)
        try Self.check("fetch.parallel_ranges", self.parallelRanges, in: 1...16)
        for port in self.ports { try Self.check("fetch.ports", port, in: 1...65_535) }
        let durations = [
            ("fetch.timeout", self.timeout), ("fetch.stall_timeout", self.stallTimeout),
            ("fetch.connect_timeout", self.connectTimeout), ("fetch.resolve_timeout", self.resolveTimeout),
        ]
        for (key, duration) in durations where duration <= .zero || duration > .seconds(86_400) {
            throw FetchError(.invalidSetting, "\(key) is \(duration): it must be more than 0 and at most a day")
        }
        guard !self.userAgent.isEmpty, self.userAgent.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw FetchError(.invalidSetting, "fetch.user_agent must be visible ASCII and blanks, and not empty")
        }
        guard self.tls.isVerifyingByName else {
            throw FetchError(
                .tlsUnusable,
                "images are fetched only over verified TLS: name the certificates to trust; pins and unverified"
                    + " connections are not for this"
            )
        }
    }

    private static func check(_ key: String, _ value: Int, in range: ClosedRange<Int>) throws(FetchError) {
        guard !range.contains(value) else { return }
        throw FetchError(
            .invalidSetting,
            "\(key) is \(value): it must lie between \(range.lowerBound) and \(range.upperBound)"
        )
    }
}
