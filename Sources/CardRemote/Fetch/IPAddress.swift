import Glibc

/// An IP address as its bits, most significant first.
enum IPAddress: Hashable, Sendable, CustomStringConvertible {
    case v4(UInt32)
    /// The 128 bits of IPv6, upper half and lower half, without a zone.
    case v6(UInt64, UInt64)

    /// Reads an address: four decimal numbers without leading zeros, or the form of RFC 4291 section 2.2 without brackets and
    /// zone. `nil` for everything else, also for other spellings that `inet_aton` accepts (`0x7f.1`, `2130706433`, `0177.0.0.1`).
    init?(_ text: String) {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self = .v4(UInt32(bigEndian: v4.s_addr))
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        self = withUnsafeBytes(of: &v6) { Self.v6(bytes: $0) }
    }

    static func v6(bytes: UnsafeRawBufferPointer) -> IPAddress {
        let upper = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        return .v6(upper, UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    var bitCount: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }

    /// The address in its usual form (RFC 5952 for IPv6), without brackets.
    var description: String {
        switch self {
        case .v4(let bits):
            return stride(from: 24, through: 0, by: -8).map { String(bits >> UInt32($0) & 0xFF) }
                .joined(separator: ".")
        case .v6(let upper, let lower):
            var address = (upper.bigEndian, lower.bigEndian)
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            // The only possible error is a buffer that is too short, which this one is not.
            _ = inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// The IPv4 address that is reached by connecting to this IPv6 address; `nil` if there is none. For mapped and compatible
    /// addresses (RFC 4291 section 2.5.5), NAT64 (RFC 6052, RFC 8215) and 6to4 (RFC 3056).
    var embedded: IPAddress? {
        guard case .v6(let upper, let lower) = self else { return nil }
        switch upper {
        // `::` and `::1` embed no IPv4 address.
        case 0 where lower > 1 && (lower >> 32 == 0 || lower >> 32 == 0xFFFF):
            return .v4(UInt32(truncatingIfNeeded: lower))
        case 0x0064_FF9B_0000_0000 where lower >> 32 == 0: return .v4(UInt32(truncatingIfNeeded: lower))
        case _ where upper >> 16 == 0x0064_FF9B_0001: return .v4(UInt32(truncatingIfNeeded: lower))
        case _ where upper >> 48 == 0x2002: return .v4(UInt32(truncatingIfNeeded: upper >> 16))
        default: return nil
        }
    }
}
extension IPAddress {
    /// Reads an answer of `getaddrinfo`; `nil` for other address families.
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
