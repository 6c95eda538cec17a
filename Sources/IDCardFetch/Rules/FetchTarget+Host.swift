extension FetchTarget.Host {
    /// Reads a host as it stands in a URL: a name, an IPv4 address, or an IPv6 address in brackets; `nil` for everything
    /// else.
    ///
    /// Everything else includes all that `inet_aton`, and with it `getaddrinfo`, takes for an IPv4 address although it
    /// is not four decimal numbers: a name whose last label is a number (decimal, octal, or `0x…`), as the WHATWG's URL
    /// standard tells them apart. Zones, percent-encoding and a dot at the end are refused too.
    package init?(_ text: String) {
        if text.hasPrefix("["), text.hasSuffix("]") {
            guard let address = IPAddress(String(text.dropFirst().dropLast())), address.bitCount == 128 else {
                return nil
            }
            self = .address(address)
            return
        }
        if let address = IPAddress(text), address.bitCount == 32 {
            self = .address(address)
            return
        }
        let name = text.lowercased()
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.allSatisfy(Self.isLabel), let last = labels.last else { return nil }
        guard !Self.isNumber(last) else { return nil }
        self = .name(name)
    }

    /// The name, or the address as it stands in a URL.
    package var description: String {
        switch self {
        case .name(let name): name
        case .address(let address): address.bitCount == 128 ? "[\(address)]" : "\(address)"
        }
    }

    /// Letters, digits, hyphens and underscores, which occur in names of buckets (RFC 1123 section 2.1, else).
    private static func isLabel(_ label: Substring) -> Bool {
        guard (1...63).contains(label.utf8.count), label.first != "-", label.last != "-" else { return false }
        return label.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
            default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
        }
    }

    private static func isNumber(_ label: Substring) -> Bool {
        label.hasPrefix("0x") || label.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
