extension AppConfiguration {
    /// Keys under `fetch`.
    package struct Fetch: Hashable, Sendable {
        /// Hosts that images may come from (`fetch.hosts`).
        package let hosts: [String]
        /// Blocks of addresses that are allowed although they are not on the internet (`fetch.allow_addresses`).
        package let allowedAddresses: [String]
        /// Whether URLs may begin with `http://` (`fetch.allow_http`).
        package let allowsHTTP: Bool
        /// The ports of URLs, as written (`fetch.ports`).
        package let ports: [String]
        /// Most redirects (`fetch.max_redirects`).
        package let maximumRedirects: Int
        /// Longest URL in bytes (`fetch.max_url_bytes`).
        package let maximumURLBytes: Int
        /// Longest time of one attempt (`fetch.timeout`), of silence (`fetch.stall_timeout`).
        package let timeout: Duration, stallTimeout: Duration
        /// Longest time of one connection (`fetch.connect_timeout`), of resolving (`fetch.resolve_timeout`).
        package let connectTimeout: Duration, resolveTimeout: Duration
        /// Bytes above which an image comes in ranges, and how many at a time (`fetch.parallel_above`,
        /// `fetch.parallel_ranges`).
        package let parallelAbove: Int, parallelRanges: Int
        /// How many images are fetched at a time (`fetch.concurrency`), and from one host (`fetch.host_concurrency`).
        package let concurrency: Int, hostConcurrency: Int
        /// Failed attempts after which a card is `failed` (`fetch.max_attempts`).
        package let maximumAttempts: Int
        /// How long an image is tried for (`fetch.max_age`).
        package let maximumAge: Duration
        /// PEM file with the only authorities trusted (`fetch.tls.ca_file`).
        package let authoritiesPath: String?
        /// The `User-Agent` (`fetch.user_agent`).
        package let userAgent: String

        init(_ values: ResolvedConfiguration) {
            self.hosts = values.require("fetch.hosts", \.list)
            self.allowedAddresses = values.require("fetch.allow_addresses", \.list)
            self.allowsHTTP = values.require("fetch.allow_http", \.boolean)
            self.ports = values.require("fetch.ports", \.list)
            self.maximumRedirects = values.require("fetch.max_redirects", \.integer)
            self.maximumURLBytes = values.require("fetch.max_url_bytes", \.integer)
            self.timeout = values.require("fetch.timeout", \.duration)
            self.stallTimeout = values.require("fetch.stall_timeout", \.duration)
            self.connectTimeout = values.require("fetch.connect_timeout", \.duration)
            self.resolveTimeout = values.require("fetch.resolve_timeout", \.duration)
            self.parallelAbove = values.require("fetch.parallel_above", \.integer)
            self.parallelRanges = values.require("fetch.parallel_ranges", \.integer)
            self.concurrency = values.require("fetch.concurrency", \.integer)
            self.hostConcurrency = values.require("fetch.host_concurrency", \.integer)
            self.maximumAttempts = values.require("fetch.max_attempts", \.integer)
            self.maximumAge = values.require("fetch.max_age", \.duration)
            self.authoritiesPath = values.find("fetch.tls.ca_file", \.text)
            self.userAgent = values.require("fetch.user_agent", \.text)
        }
    }
}
