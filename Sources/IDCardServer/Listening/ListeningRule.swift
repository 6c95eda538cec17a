import Glibc
import NIOCore

/// Where a server may listen: beyond this machine only with TLS and with tokens.
package enum ListeningRule {
    /// Checks an address.
    ///
    /// - Parameters:
    ///   - host: the address to listen on, a number or a name; only `localhost` is known to be this machine by name.
    ///   - hasCertificate: whether connections are encrypted.
    ///   - hasTokens: whether there is at least one token.
    /// - Throws: `ServerError.listening`.
    package static func check(host: String, hasCertificate: Bool, hasTokens: Bool) throws {
        guard !self.isLoopback(host) else { return }
        guard hasCertificate else {
            throw ServerError(
                .listening,
                "server.listen names an address that others reach, and nothing encrypts what they send; set "
                    + "server.tls.certificate and server.tls.key, or listen on 127.0.0.1 behind a proxy that has them"
            )
        }
        guard hasTokens else {
            throw ServerError(
                .listening,
                "server.listen names an address that others reach, and there is no token; make one by `tokens add`"
            )
        }
    }

    /// Whether an address is reached from this machine alone.
    package static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        guard let address = try? SocketAddress(ipAddress: host, port: 0) else { return false }
        switch address {
        case .v4(let v4): return withUnsafeBytes(of: v4.address.sin_addr) { $0[0] == 127 }
        case .v6(let v6):
            return withUnsafeBytes(of: v6.address.sin6_addr) { bytes in
                let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
                if isMapped { return bytes[12] == 127 }
                return bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
            }
        default: return false
        }
    }
}
