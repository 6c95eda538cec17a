import Foundation
package import IDCardCore

/// An HTTP proxy that connections are tunnelled through by `CONNECT` (RFC 9110 section 9.3.6), for `http` and `https`
/// alike: a proxy that allows tunnels to port 443 alone refuses plain `http`.
package struct ProxySettings: Hashable, Sendable, CustomStringConvertible {
    /// The host.
    package let host: String
    /// The port.
    package let port: Int
    /// The user name for `Proxy-Authorization: Basic` (RFC 7617).
    package let user: Redacted<String>?
    /// The password.
    package let password: Redacted<String>

    /// Checks a proxy's URL, such as `http://proxy.example:3128` or `http://user:password@proxy.example:3128`.
    ///
    /// - Throws: ``OutboundHTTPError`` with the code `invalid_proxy`, without repeating the URL.
    package init(_ text: String) throws(OutboundHTTPError) {
        guard let components = URLComponents(string: text), components.scheme?.lowercased() == "http" else {
            throw OutboundHTTPError(.invalidProxy, "the proxy's URL must begin with http://, also for https endpoints")
        }
        guard let host = components.host, !host.isEmpty, let port = components.port else {
            throw OutboundHTTPError(.invalidProxy, "the proxy needs host and port; write it as http://host:port")
        }
        guard components.path.isEmpty || components.path == "/", components.query == nil, components.fragment == nil
        else {
            throw OutboundHTTPError(.invalidProxy, "the proxy's URL must end with the port; remove what follows it")
        }
        try self.init(host: host, port: port, user: components.user, password: components.password)
    }

    /// Names a proxy.
    ///
    /// - Throws: ``OutboundHTTPError`` with the code `invalid_proxy`.
    package init(host: String, port: Int, user: String? = nil, password: String? = nil) throws(OutboundHTTPError) {
        guard !host.isEmpty, (1...65_535).contains(port) else {
            throw OutboundHTTPError(.invalidProxy, "the proxy needs a host and a port between 1 and 65535")
        }
        guard user?.contains(":") != true else {
            throw OutboundHTTPError(.invalidProxy, "the proxy's user name must not contain a colon (RFC 7617)")
        }
        guard user?.isEmpty != true, password == nil || user != nil else {
            throw OutboundHTTPError(.invalidProxy, "the proxy has a password but no user name; give both or none")
        }
        self.host = host
        self.port = port
        self.user = user.map { Redacted($0) }
        self.password = Redacted(password ?? "")
    }

    /// Host and port.
    package var authority: String { "\(self.host):\(self.port)" }
    /// Host and port; never the user.
    package var description: String { self.authority }
    /// Whether the proxy runs on this machine.
    var isLoopback: Bool { HostName.isLoopback(self.host) }
}
