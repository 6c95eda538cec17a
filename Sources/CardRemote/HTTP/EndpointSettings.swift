import AsyncHTTPClient
package import CardModel
import Foundation
import NIOCore

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

        /// Trusts the system's certificates and presents none.
        package init() {}
    }

    /// The address (`….url`).
    package var url: String
    /// The time limit of one exchange, from waiting for a connection to the last byte of the reply (`….timeout`).
    package var timeout: Duration = .seconds(30)
    /// The maximum number of open connections (`….concurrency`).
    package var concurrency = 32
    /// Whether a connection is used for more than one request (`delivery.reuse_connections`).
    package var reusesConnections = true
    /// The proxy of all connections, `http://user:password@host:port` (`….proxy`); variables of the environment are ignored.
    package var proxy: Redacted<String>?
    package var tls = TLS()

    package init(url: String) { self.url = url }

    /// URL and proxy, as a text that changes with them.
    var terms: Redacted<String> { Redacted("\(self.url) \(self.proxy?.reveal() ?? "")") }
}

/// A checked URL that requests are sent to: `http` or `https`, with a host, without user name, password and fragment.
package struct EndpointAddress: Hashable, Sendable {
    /// The URL; its query may hold a secret.
    let url: URL
    /// Host and port, which messages may show.
    package let authority: String
    /// The host in ASCII, as certificates name it; an IPv6 address without its brackets.
    package let host: String
    package let usesTLS: Bool

    /// Checks a URL.
    ///
    /// - Parameters:
    ///   - text: the URL as configured.
    ///   - key: the configuration key that holds it.
    ///   - defaultPath: the path that replaces an empty one, with its leading slash.
    /// - Throws: `url_invalid`.
    package init(_ text: String, key: String, defaultPath: String? = nil) throws(CodedError) {
        guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let host = parts.encodedHost, !host.isEmpty
        else { throw .configuration("url_invalid", .urlInvalid(key)) }
        guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
            throw .configuration("url_invalid", .urlUserOrFragment(key))
        }
        // Some URL parsers drop a port that is not a number of 16 bits; others crash on it.
        guard parts.rangeOfPort == nil || parts.port.map({ (1...65_535).contains($0) }) == true else {
            throw .configuration("url_invalid", .urlPort(key))
        }
        if let defaultPath, parts.path.isEmpty || parts.path == "/" { parts.path = defaultPath }
        guard let url = parts.url else { throw .configuration("url_invalid", .urlInvalid(key)) }
        self.url = url
        self.usesTLS = scheme == "https"
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.authority = "\(host):\(parts.port ?? (scheme == "https" ? 443 : 80))"
    }

    var isNumeric: Bool { (try? SocketAddress(ipAddress: self.host, port: 0)) != nil }
}

/// An HTTP proxy through which connections are tunnelled by `CONNECT` (RFC 9110 section 9.3.6), for `http` and `https`
/// alike.
struct ProxyAddress: Sendable {
    /// Host and port.
    let authority: String
    /// The proxy as a type of async-http-client; it holds the password.
    let forLibrary: Redacted<HTTPClient.Configuration.Proxy>

    /// Checks a proxy's URL.
    ///
    /// - Throws: `proxy_invalid`, without repeating the URL, which may hold a password.
    init(_ text: Redacted<String>, key: String) throws(CodedError) {
        guard let parts = URLComponents(string: text.reveal()), parts.scheme?.lowercased() == "http",
            let host = parts.encodedHost, !host.isEmpty, let port = parts.port, (1...65_535).contains(port),
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil
        else { throw .configuration("proxy_invalid", .proxyInvalid(key)) }
        // RFC 7617: the first colon ends the name.
        guard parts.user?.contains(":") != true else { throw .configuration("proxy_invalid", .proxyColon(key)) }
        guard parts.user?.isEmpty != true, parts.password == nil || parts.user != nil else {
            throw .configuration("proxy_invalid", .proxyNoUser(key))
        }
        self.authority = "\(host):\(port)"
        let authorization = parts.user.map { user in
            HTTPClient.Authorization.basic(username: user, password: parts.password ?? "")
        }
        self.forLibrary = Redacted(.server(host: host, port: port, authorization: authorization))
    }
}
