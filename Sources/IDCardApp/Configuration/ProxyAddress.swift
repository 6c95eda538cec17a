import Foundation
package import IDCardCore

/// The address of an HTTP proxy: `http`, a host and a port, perhaps a user name and a password, nothing else.
package struct ProxyAddress: Hashable, Sendable {
    /// The host, without the brackets of an IPv6 address.
    package let host: String
    /// The port.
    package let port: Int
    /// The user name, percent-decoded; `nil` if the proxy asks for none.
    package let user: Redacted<String>?
    /// The password, percent-decoded; empty if there is only a user name.
    package let password: Redacted<String>?

    /// The form in words, for messages.
    package static let expectation =
        "a proxy such as http://host:3128 or http://user:password@host:3128, special characters as %XX, without path"

    /// Reads an address; `nil` if it has another form.
    package init?(_ text: String) {
        guard
            let components = URLComponents(string: text),
            components.scheme?.lowercased() == "http",
            let host = components.host, !host.isEmpty,
            let port = components.port, (1...65_535).contains(port),
            components.path.isEmpty || components.path == "/",
            components.query == nil, components.fragment == nil
        else { return nil }
        // A password without a user name is a slip, and so is a colon in the name: the header joins both with one.
        guard components.password == nil || components.user?.isEmpty == false else { return nil }
        guard components.user?.contains(":") != true else { return nil }
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")).lowercased()
        self.port = port
        self.user = components.user.flatMap { $0.isEmpty ? nil : Redacted($0) }
        self.password = self.user.map { _ in Redacted(components.password ?? "") }
    }

    /// Whether the proxy runs on this machine.
    package var isLoopback: Bool { LoopbackHost.contains(self.host) }
}
