/// A target with addresses that were checked: connections go to these, whatever the name says by then.
struct CheckedEndpoint: Sendable {
    /// The most addresses that are tried.
    static let maximumAddresses = 8

    /// What was asked for.
    let target: FetchTarget
    /// What messages may call its host.
    let label: String
    /// The addresses, the preferred ones first; never empty.
    private(set) var addresses: [IPAddress]

    /// Resolves a host and checks every answer: one forbidden address among others refuses them all, for whoever
    /// answers so means the forbidden one.
    ///
    /// - Throws: ``FetchRefusal`` with the code `fetch_address_refused`; ``HostResolver/Failure``.
    init(_ target: FetchTarget, label: String, rules: AddressRules, resolver: HostResolver) async throws {
        let addresses =
            switch target.host {
            case .address(let address): [address]
            case .name(let name): try await resolver.resolve(name)
            }
        guard !addresses.isEmpty else { throw HostResolver.Failure.noAddress }
        for address in addresses {
            guard let found = rules.refusal(of: address) else { continue }
            throw FetchRefusal(
                .fetchAddressRefused,
                "\(label) has an address of the kind '\(found.displayName)', which is not connected to: if this is meant,"
                    + " add the block to fetch.allow_addresses"
            )
        }
        self.target = target
        self.label = label
        self.addresses = Array(addresses.prefix(Self.maximumAddresses))
    }

    /// The same endpoint with one of its addresses tried first: the one that has answered before.
    func preferring(_ address: IPAddress) -> CheckedEndpoint {
        guard self.addresses.contains(address) else { return self }
        var endpoint = self
        endpoint.addresses = [address] + self.addresses.filter { $0 != address }
        return endpoint
    }

    /// The name that the certificate must be made out to and that is sent in the clear; `nil` for an address, which the
    /// certificate must hold then (RFC 6066 section 3).
    var serverName: String? {
        if case .name(let name) = self.target.host { name } else { nil }
    }
}
