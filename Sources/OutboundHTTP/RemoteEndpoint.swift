package import Foundation

/// A checked URL that requests are sent to: `http` or `https`, with a host, without user name, password and fragment.
package struct RemoteEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The URL itself; its query may hold a secret.
    package let url: URL
    /// Host and port, which messages may show.
    package let authority: String
    /// The host, an IPv6 address without its brackets.
    package let host: String
    /// The port, that of the scheme if the URL names none.
    package let port: Int
    /// Whether the connection is encrypted.
    package let usesTLS: Bool

    /// Checks a URL.
    ///
    /// - Parameters:
    ///   - text: the URL as configured.
    ///   - defaultPath: the path that replaces an empty one (`http://host` or `http://host/`), with its leading slash.
    /// - Throws: ``OutboundHTTPError`` with the code `invalid_url`.
    package init(_ text: String, defaultPath: String? = nil) throws(OutboundHTTPError) {
        guard var components = URLComponents(string: text) else {
            throw OutboundHTTPError(.invalidURL, "this is not a URL; write it as https://host:port/path")
        }
        let scheme = components.scheme?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else {
            throw OutboundHTTPError(.invalidURL, "the URL must begin with https:// or http://")
        }
        guard let host = components.host, !host.isEmpty else {
            throw OutboundHTTPError(.invalidURL, "the URL names no host; write it as https://host:port/path")
        }
        guard components.user == nil, components.password == nil else {
            throw OutboundHTTPError(.invalidURL, "the URL holds a user name or password; remove it")
        }
        guard components.fragment == nil else {
            throw OutboundHTTPError(.invalidURL, "the URL holds a fragment ('#'), which is never sent; remove it")
        }
        if let defaultPath, components.path.isEmpty || components.path == "/" {
            components.path = defaultPath
        }
        guard let url = components.url else {
            throw OutboundHTTPError(.invalidURL, "this is not a URL; write it as https://host:port/path")
        }
        self.url = url
        self.usesTLS = scheme == "https"
        self.host = host.trimmingBrackets
        self.port = components.port ?? (scheme == "https" ? 443 : 80)
        self.authority = "\(host):\(self.port)"
    }

    /// Whether requests stay on this machine, judged by the name.
    package var isLoopback: Bool { HostName.isLoopback(self.host) }

    /// Host and port; path and query may hold secrets.
    package var description: String { self.authority }
}
