extension OutboundHTTPClient {
    /// The limits of an outbound client.
    package struct Configuration: Hashable, Sendable {
        /// How long a connection may take to open, a proxy's tunnel and TLS included.
        package var connectTimeout: Duration = .seconds(5)
        /// How long a request may wait for one of ``maximumConnectionsPerHost`` to become free.
        package var poolTimeout: Duration = .seconds(5)
        /// How long the remote may take no byte of the body that is ready for it; every byte it takes resets it. `nil`
        /// leaves it to the deadline of the request.
        package var idleWriteTimeout: Duration? = .seconds(30)
        /// How long the remote may be silent once the request is sent; the reply resets it with every byte. `nil`
        /// leaves it to the deadline of the request, so that a raised `timeout` is not cut short here.
        package var idleReadTimeout: Duration?
        /// How many connections are open to one host at a time. A request beyond it waits, at most ``poolTimeout``: a
        /// stage that sends more at once than this may see `pool_timeout`.
        package var maximumConnectionsPerHost: Int = 16
        /// How long an unused connection is kept. Below the five seconds after which common servers close theirs, or a
        /// request meets the closing; async-http-client does not read the server's own `Keep-Alive: timeout`.
        package var poolIdleTimeout: Duration = .seconds(4)
        /// The longest reply body that is read, in bytes.
        package var maximumReplyBytes: Int = 1_048_576
        /// The `User-Agent` header.
        package var userAgent: String = "idcard-pipeline"
        /// Whom TLS connections believe.
        package var tls: TLSSettings = TLSSettings()
        /// The proxy that all connections go through; `nil` connects directly. The environment's `HTTP_PROXY` is not
        /// read.
        package var proxy: ProxySettings?

        /// Takes the documented defaults.
        package init() {}
    }
}
