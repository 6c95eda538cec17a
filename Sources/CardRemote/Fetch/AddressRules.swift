import CardModel

/// A block of addresses in CIDR notation, such as `10.20.0.0/16` or `fd00:1::/32`.
struct AddressBlock: Hashable, Sendable {
    private let base: IPAddress
    private let prefixLength: Int

    /// Reads a block; an address without a slash is a block of one address. `nil` for anything else, and for a base with bits
    /// after the prefix: `10.1.2.3/8` may mean `10.0.0.0/8` or `10.1.2.3/32`.
    init?(_ text: String) {
        let fields = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let base = IPAddress(fields[0]) else { return nil }
        var length = base.bitCount
        if fields.count == 2 {
            guard (1...3).contains(fields[1].utf8.count), fields[1].utf8.allSatisfy(\.isASCIIDigit),
                let number = Int(fields[1]), number <= length
            else { return nil }
            length = number
        }
        guard Self.masked(base, to: length) == base else { return nil }
        self.base = base
        self.prefixLength = length
    }

    /// Whether an address lies in the block; an IPv6 address never lies in an IPv4 block, nor the reverse.
    func contains(_ address: IPAddress) -> Bool { Self.masked(address, to: self.prefixLength) == self.base }

    private static func masked(_ address: IPAddress, to length: Int) -> IPAddress {
        switch address {
        // For a prefix of 0, the shift by the full width gives zero, as Swift defines it.
        case .v4(let bits): .v4(bits & (UInt32.max << UInt32(32 - min(length, 32))))
        case .v6(let upper, let lower):
            .v6(
                upper & (UInt64.max << UInt64(64 - min(length, 64))),
                lower & (UInt64.max << UInt64(128 - max(length, 64)))
            )
        }
    }
}

/// Decides which addresses may be connected to: all public ones, and the special ones that the configuration allows.
struct AddressRules: Sendable {
    /// The allowed special blocks (`fetch.allow_addresses`).
    let allowed: [AddressBlock]

    /// Returns why an address must not be connected to; `nil` if it may be. If an IPv6 address embeds an IPv4 address, both must
    /// be allowed: if `10.0.0.1` is forbidden, so is `::ffff:10.0.0.1`.
    func refusal(of address: IPAddress) -> SpecialAddress? {
        if !self.allowed.contains(where: { $0.contains(address) }), let found = SpecialAddress(of: address) {
            return found
        }
        return address.embedded.flatMap { self.refusal(of: $0) }
    }
}

/// The kinds of addresses at which there are no public images: those of the IANA registries of special-purpose addresses (RFC
/// 6890), and a few more.
enum SpecialAddress: String, CaseIterable, Sendable {
    /// "This network" (RFC 791); on Linux `0.0.0.0` is this machine. In IPv6 `::` (RFC 4291).
    case unspecified
    /// This machine.
    case loopback
    /// Private networks (RFC 1918) and unique local addresses (RFC 4193).
    case privateUse = "private_use"
    /// Networks between a provider and its customers (RFC 6598); some clouds have their metadata service here.
    case carrierShared = "carrier_shared"
    /// Addresses within one link; most clouds have their metadata service here.
    case linkLocal = "link_local"
    /// The predecessor of unique local addresses (RFC 3879).
    case siteLocal = "site_local"
    /// Addresses of protocols, not of hosts (RFC 6890, RFC 2928); except Teredo, which counts as ``tunnelled``.
    case protocolAssignment = "protocol_assignment"
    /// Examples in texts (RFC 5737, RFC 3849, RFC 9637).
    case documentation
    /// Measurements between networks (RFC 2544).
    case benchmarking
    /// Groups of hosts.
    case multicast
    /// Reserved for future use (RFC 1112); `255.255.255.255` is the broadcast address of the link.
    case reserved
    /// Discard-only (RFC 6666).
    case discard
    /// IPv4-mapped and IPv4-compatible IPv6 addresses (RFC 4291 section 2.5.5).
    case mapped
    /// IPv4 behind a NAT64 translator (RFC 6052, RFC 8215).
    case translated
    /// IPv6 tunnelled over IPv4: 6to4 and its relays (RFC 3056, RFC 7526), Teredo (RFC 4380).
    case tunnelled
    /// The platform service of one cloud, at an address that looks public.
    case cloudPlatform = "cloud_platform"
    /// Not assigned: all of IPv6 but 2000::/3.
    case unassigned

    /// The blocks of all kinds; the first that contains an address decides. A misspelled block traps, because skipping it would
    /// allow its addresses.
    static let blocks: [(SpecialAddress, AddressBlock)] =
        ([
            (.unspecified, "0.0.0.0/8"), (.privateUse, "10.0.0.0/8"), (.carrierShared, "100.64.0.0/10"),
            (.loopback, "127.0.0.0/8"), (.linkLocal, "169.254.0.0/16"), (.privateUse, "172.16.0.0/12"),
            (.protocolAssignment, "192.0.0.0/24"), (.documentation, "192.0.2.0/24"), (.tunnelled, "192.88.99.0/24"),
            (.privateUse, "192.168.0.0/16"), (.benchmarking, "198.18.0.0/15"), (.documentation, "198.51.100.0/24"),
            (.documentation, "203.0.113.0/24"), (.multicast, "224.0.0.0/4"), (.reserved, "240.0.0.0/4"),
            (.cloudPlatform, "168.63.129.16/32"),
            (.unspecified, "::/128"), (.loopback, "::1/128"), (.mapped, "::ffff:0:0/96"), (.mapped, "::/96"),
            (.translated, "64:ff9b::/96"), (.translated, "64:ff9b:1::/48"), (.discard, "100::/64"),
            (.tunnelled, "2001::/32"), (.documentation, "2001:db8::/32"), (.documentation, "3fff::/20"),
            (.protocolAssignment, "2001::/23"), (.tunnelled, "2002::/16"), (.privateUse, "fc00::/7"),
            (.linkLocal, "fe80::/10"), (.siteLocal, "fec0::/10"), (.multicast, "ff00::/8"),
        ] as [(SpecialAddress, String)]).map { ($0, AddressBlock($1)!) }

    /// Returns the kind of an address; `nil` for a public one.
    init?(of address: IPAddress) {
        if let found = Self.blocks.first(where: { $0.1.contains(address) }) {
            self = found.0
        } else if case .v6(let upper, _) = address, upper >> 61 != 0b001 {
            self = .unassigned
        } else {
            return nil
        }
    }
}
