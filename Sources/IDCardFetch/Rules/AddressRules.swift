/// Says which addresses may be connected to: all on the internet, and of the others those that the configuration names.
package struct AddressRules: Hashable, Sendable {
    /// The blocks that are allowed although their class is not (`fetch.allow_addresses`).
    package var allowed: [AddressBlock]

    /// Allows blocks beyond the internet.
    package init(allowed: [AddressBlock] = []) {
        self.allowed = allowed
    }

    /// Returns why an address must not be connected to; `nil` if it may be.
    ///
    /// An IPv6 address that leads to one of IPv4 needs both allowed: what is forbidden as `10.0.0.1` is so as
    /// `::ffff:10.0.0.1` too.
    package func refusal(of address: IPAddress) -> AddressClass? {
        if !self.isAllowed(address), let found = AddressClass(of: address) { return found }
        return address.embedded.flatMap { self.refusal(of: $0) }
    }

    private func isAllowed(_ address: IPAddress) -> Bool {
        self.allowed.contains { $0.contains(address) }
    }
}
