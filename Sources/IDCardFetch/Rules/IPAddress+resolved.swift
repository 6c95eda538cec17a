import Glibc

extension IPAddress {
    /// Takes an answer of `getaddrinfo`; `nil` if it is of another family.
    init?(_ entry: addrinfo) {
        guard let raw = UnsafeRawPointer(entry.ai_addr) else { return nil }
        switch entry.ai_family {
        case AF_INET:
            self = .v4(UInt32(bigEndian: raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6:
            var address = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self = withUnsafeBytes(of: &address) { .v6(bytes: $0) }
        default: return nil
        }
    }
}
