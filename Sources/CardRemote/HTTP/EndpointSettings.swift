package import CardModel

/// How an endpoint is reached (`verification.*`, `delivery.*`).
package struct EndpointSettings: Sendable {
    /// The files of a TLS connection (`….tls.*`).
    package struct TLS: Hashable, Sendable {
        /// The certificates to trust in place of the system's (`….tls.ca_file`).
        package var caFile: String?
        /// Our own certificate, followed by those of its issuers (`….tls.client_certificate`).
        package var clientCertificate: String?
        /// The key of our certificate (`….tls.client_key`).
        package var clientKey: String?

        /// Trusts the system's certificates and shows none.
        package init() {}
    }

    /// The address (`….url`).
    package var url: String
    /// The time for one exchange, from waiting for a connection to the last byte of the reply (`….timeout`).
    package var timeout: Duration = .seconds(30)
    /// How many connections are open at a time (`….concurrency`).
    package var concurrency = 32
    /// The proxy all connections go through, `http://user:password@host:port` (`….proxy`); the environment's is not read.
    package var proxy: Redacted<String>?
    /// The files of a TLS connection (`….tls.*`).
    package var tls = TLS()

    /// Takes an address and the defaults.
    package init(url: String) {
        self.url = url
    }
}
