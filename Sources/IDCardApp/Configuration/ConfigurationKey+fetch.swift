extension ConfigurationKey {
    /// Images named by URL.
    static let fetchKeys = [
        ConfigurationKey(
            "fetch.hosts",
            .list,
            .value(""),
            "Hosts that images named by URL may come from: names, or `*.suffix`. None: nothing is fetched."
        ),
        ConfigurationKey(
            "fetch.allow_addresses",
            .list,
            .value(""),
            "Blocks of addresses (CIDR) that may be fetched from although they are private, link-local or of this machine."
        ),
        ConfigurationKey(
            "fetch.allow_http",
            .boolean,
            .value("false"),
            "Allow URLs with `http://`."
        ),
        ConfigurationKey(
            "fetch.ports",
            .list,
            .value("80, 443"),
            "Ports that URLs may name."
        ),
        ConfigurationKey(
            "fetch.max_redirects",
            .integer(0...10),
            .value("0"),
            "How many redirects are followed; each is checked as the URL is."
        ),
        ConfigurationKey(
            "fetch.max_url_bytes",
            .byteCount(16...65_536),
            .value("8KiB"),
            "Longest URL."
        ),
        ConfigurationKey(
            "fetch.timeout",
            .duration(.seconds(1)...(.seconds(86_400))),
            .value("5m"),
            "Longest time of one attempt; what has arrived stays for the next."
        ),
        ConfigurationKey(
            "fetch.stall_timeout",
            .duration(Self.anyTimeout),
            .value("30s"),
            "How long a server may be silent."
        ),
        ConfigurationKey(
            "fetch.connect_timeout",
            .duration(Self.anyTimeout),
            .value("5s"),
            "Longest time for opening a connection to one address."
        ),
        ConfigurationKey(
            "fetch.resolve_timeout",
            .duration(Self.anyTimeout),
            .value("10s"),
            "Longest time for resolving a name."
        ),
        ConfigurationKey(
            "fetch.parallel_above",
            .byteCount(1 << 20...1 << 40),
            .value("8MiB"),
            "Larger images come in ranges of so many bytes."
        ),
        ConfigurationKey(
            "fetch.parallel_ranges",
            .integer(1...16),
            .value("4"),
            "How many ranges of one image come at a time."
        ),
        ConfigurationKey(
            "fetch.concurrency",
            .integer(1...256),
            .value("4"),
            "How many images are fetched at a time."
        ),
        ConfigurationKey(
            "fetch.host_concurrency",
            .integer(1...256),
            .value("2"),
            "How many of them from one host; a host in trouble is left alone (`breaker`), the others go on."
        ),
        ConfigurationKey(
            "fetch.max_attempts",
            .integer(1...1000),
            .value("20"),
            "Failed attempts after which a card is `failed`; what has arrived stays for `cards retry`."
        ),
        ConfigurationKey(
            "fetch.max_age",
            .duration(.seconds(60)...(.seconds(30 * 86_400))),
            .value("24h"),
            "How long an image is tried for before its card is `failed`, whatever its host answers."
        ),
        ConfigurationKey(
            "fetch.tls.ca_file",
            .path,
            .unset,
            "PEM file with the only authorities trusted for images, in place of the system's."
        ),
        ConfigurationKey(
            "fetch.user_agent",
            .text,
            .value("idcard-pipeline"),
            "The `User-Agent` of requests for images."
        ),
    ]
}
