import CardModel
import NIOCore

/// Where a server may listen: beyond this machine only with TLS, and with somebody who may ask.
package enum ListeningRule {
    /// Checks an address.
    ///
    /// - Parameters:
    ///   - host: the address to listen on, a number or a name; only `localhost` is known to be this machine by name.
    ///   - hasCertificate: whether connections are encrypted.
    ///   - hasCredentials: whether there is at least one token, or one secret of a sender of webhooks.
    /// - Throws: `listening_refused`.
    static func check(host: String, hasCertificate: Bool, hasCredentials: Bool) throws(CodedError) {
        guard !self.isLoopback(host) else { return }
        guard hasCertificate else {
            throw self.refused(
                """
                server.listen names an address that others reach, and nothing encrypts what they send; set \
                server.tls.certificate and server.tls.key, or listen on 127.0.0.1 behind a proxy that has them
                """
            )
        }
        guard hasCredentials else {
            throw self.refused(
                """
                server.listen names an address that others reach, and there is no token that opens it; make one \
                (idcard-pipeline tokens add), or set webhooks.secrets
                """
            )
        }
    }

    static func refused(_ message: Message) -> CodedError {
        CodedError(ReasonCode(rawValue: "listening_refused"), .configuration, message)
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

extension SocketAddress {
    /// The 16 bytes of an IPv6 address; `nil` for any other.
    ///
    /// Read where `sockaddr_in6` has them (RFC 3493 section 3.3): which C module its fields count as a part of depends
    /// on what a compiler has seen before.
    var ipv6Bytes: [UInt8]? {
        guard case .v6 = self else { return nil }
        return self.withSockAddr { pointer, size in
            [UInt8](UnsafeRawBufferPointer(start: pointer, count: size)[8..<24])
        }
    }

    /// The 4 bytes of the IPv4 address that an IPv6 address stands for (RFC 4291 section 2.5.5.2); `nil` for any other.
    var mappedIPv4Bytes: [UInt8]? {
        guard let bytes = self.ipv6Bytes, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF
        else { return nil }
        return [UInt8](bytes[12...])
    }
}
