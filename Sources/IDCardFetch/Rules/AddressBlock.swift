/// A block of addresses in CIDR notation, such as `10.20.0.0/16` or `fd00:1::/32`.
package struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    /// The first address; its bits after the prefix are zero.
    package let base: IPAddress
    /// How many leading bits the addresses share.
    package let prefixLength: Int

    /// Reads a block; an address without a slash is a block of one.
    ///
    /// - Throws: ``FetchError`` with the code `invalid_address_block` for anything else, and for a base with bits after
    ///   the prefix: `10.1.2.3/8` may mean `10.0.0.0/8` or `10.1.2.3/32`.
    package init(_ text: String) throws(FetchError) {
        let fields = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let base = IPAddress(fields[0]) else { throw Self.malformed(text) }
        var length = base.bitCount
        if fields.count == 2 {
            guard (1...3).contains(fields[1].utf8.count), fields[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(fields[1]), number <= length
            else { throw Self.malformed(text) }
            length = number
        }
        guard Self.masked(base, to: length) == base else {
            throw FetchError(
                .invalidAddressBlock,
                "the address block '\(text)' has bits after its prefix: write the first address of the block"
            )
        }
        self.base = base
        self.prefixLength = length
    }

    /// Takes a block that is written in the source.
    init(_ base: IPAddress, _ prefixLength: Int) {
        self.base = Self.masked(base, to: prefixLength)
        self.prefixLength = prefixLength
    }

    /// Whether an address lies in the block; one of the other family never does.
    package func contains(_ address: IPAddress) -> Bool {
        Self.masked(address, to: self.prefixLength) == self.base
    }

    /// The block in CIDR notation.
    package var description: String { "\(self.base)/\(self.prefixLength)" }

    private static func masked(_ address: IPAddress, to length: Int) -> IPAddress {
        switch address {
        // A shift by the full width gives zero: shifts in Swift do not wrap.
        case .v4(let bits): .v4(bits & (UInt32.max << UInt32(32 - min(length, 32))))
        case .v6(let upper, let lower):
            .v6(
                upper & (UInt64.max << UInt64(64 - min(length, 64))),
                lower & (UInt64.max << UInt64(128 - max(length, 64)))
            )
        }
    }

    private static func malformed(_ text: String) -> FetchError {
        FetchError(
            .invalidAddressBlock,
            "'\(text)' is no address block: write it as 10.20.0.0/16, fd00:1::/32, or as a single address"
        )
    }
}
