import NIOCore

/// Tells hosts of this machine from others, and addresses from names.
enum HostName {
    /// Whether requests to a host stay on this machine: `localhost` (RFC 6761 section 6.3), 127.0.0.0/8 and `::1`.
    ///
    /// Decided by the name, not by what it resolves to: another name with a loopback address today may have another one
    /// tomorrow.
    static func isLoopback(_ host: String) -> Bool {
        let name = host.lowercased().trimmingBrackets
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        guard let address = try? SocketAddress(ipAddress: name, port: 0) else { return false }
        guard let text = address.ipAddress else { return false }
        return text == "::1" || (address.protocol == .inet && text.hasPrefix("127."))
    }

    /// Whether a host is an address, with or without brackets.
    static func isAddress(_ host: String) -> Bool {
        (try? SocketAddress(ipAddress: host.trimmingBrackets, port: 0)) != nil
    }
}

extension String {
    /// The text without the brackets that URLs put around IPv6 addresses.
    var trimmingBrackets: String {
        self.hasPrefix("[") && self.hasSuffix("]") ? String(self.dropFirst().dropLast()) : self
    }
}
