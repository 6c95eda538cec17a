package import Foundation

/// The address of an outside service: `http` or `https`, a host, no user name, password or fragment.
///
/// A query may carry a key, so it is left out of the description.
package struct EndpointURL: Hashable, Sendable {
    /// The address with its query.
    package let url: URL
    /// The host, without the brackets of an IPv6 address.
    package let host: String

    /// The form in words, for messages.
    package static let expectation = "an address such as https://host/path, without user name, password or fragment"

    /// Reads an address; `nil` if it has another form.
    package init?(_ text: String) {
        guard
            let components = URLComponents(string: text),
            let scheme = components.scheme?.lowercased(), scheme == "http" || scheme == "https",
            components.user == nil, components.password == nil, components.fragment == nil,
            let host = components.host, !host.isEmpty,
            let url = components.url
        else { return nil }
        self.url = url
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")).lowercased()
    }

    /// The host and the port, such as `api.example:443`.
    package var hostAndPort: String { "\(self.host):\(self.url.port ?? (self.isPlainText ? 80 : 443))" }

    /// Whether what is sent there can be read on the way.
    package var isPlainText: Bool { self.url.scheme?.lowercased() == "http" }

    /// Whether the host is this machine.
    package var isLoopback: Bool { LoopbackHost.contains(self.host) }
}

extension EndpointURL: CustomStringConvertible {
    package var description: String {
        guard self.url.query() != nil else { return self.url.absoluteString }
        let withoutQuery = self.url.absoluteString.prefix { $0 != "?" }
        return "\(withoutQuery)?<redacted>"
    }
}

extension EndpointURL: CustomDebugStringConvertible, CustomReflectable {
    package var debugDescription: String { self.description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
