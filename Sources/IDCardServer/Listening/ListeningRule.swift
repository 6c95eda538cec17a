import NIOCore

/// Where a server may listen: beyond this machine only with TLS, and with somebody who may ask.
package enum ListeningRule {
    /// Checks an address.
    ///
    /// - Parameters:
    ///   - host: the address to listen on, a number or a name; only `localhost` is known to be this machine by name.
    ///   - hasCertificate: whether connections are encrypted.
    ///   - hasCredentials: whether there is at least one token, or one secret of a sender of webhooks.
    /// - Throws: `ServerError.listening`.
    package static func check(host: String, hasCertificate: Bool, hasCredentials: Bool) throws {
        guard !self.isLoopback(host) else { return }
        guard hasCertificate else {
            throw ServerError(
                .listening,
                "server.listen names an address that others reach, and nothing encrypts what they send; set "
                    + "server.tls.certificate and server.tls.key, or listen on 127.0.0.1 behind a proxy that has them"
            )
        }
        guard hasCredentials else {
            throw ServerError(
                .listening,
                "server.listen names an address that others reach, and nobody may ask; make a token by `tokens add`, or "
                    + "set webhooks.secrets"
            )
        }
    }

    /// Whether an address is reached from this machine alone.
    package static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        guard let address = try? SocketAddress(ipAddress: host, port: 0) else { return false }
        switch address {
        case .v4: return address.ipAddress?.hasPrefix("127.") ?? false
        case .v6:
            if let mapped = address.mappedIPv4Bytes { return mapped[0] == 127 }
            return address.ipv6Bytes.map { $0[..<15].allSatisfy { $0 == 0 } && $0[15] == 1 } ?? false
        default: return false
        }
    }
}
