import NIOCore

extension SocketAddress {
    /// The 16 bytes of an IPv6 address; `nil` for any other.
    ///
    /// Read where `sockaddr_in6` has them (RFC 3493 section 3.3): which C module its fields count as a part of depends on
    /// what a compiler has seen before.
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
