/// An entry of the list of hosts that images may be fetched from (`fetch.hosts`): an exact name, an address, or
/// `*.suffix` for all names below one.
package struct HostPattern: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: Hashable {
        case exact(FetchTarget.Host)
        case below(String)
    }

    private let kind: Kind

    /// Reads an entry, such as `images.example.com`, `*.example.com`, `192.0.2.7` or `[2001:db8::7]`.
    ///
    /// `*` alone, and a star anywhere else than as the first label, is refused: who allows all hosts has no list.
    ///
    /// - Throws: ``FetchError`` with the code `invalid_host_pattern`.
    package init(_ text: String) throws(FetchError) {
        let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        guard let host = FetchTarget.Host(name) else {
            throw FetchError(
                .invalidHostPattern,
                "'\(text)' is no host: write a name such as images.example.com, *.example.com for all below it, or an"
                    + " address; without scheme, port and path, and international names in their ASCII form"
            )
        }
        guard text.hasPrefix("*.") else {
            self.kind = .exact(host)
            return
        }
        guard case .name(let suffix) = host else {
            throw FetchError(
                .invalidHostPattern,
                "'\(text)' puts a star before an address: only names have names below"
            )
        }
        self.kind = .below(suffix)
    }

    /// Whether a host is meant; the suffix of `*.suffix` itself is not.
    package func matches(_ host: FetchTarget.Host) -> Bool {
        switch self.kind {
        case .exact(let own): own == host
        case .below(let suffix):
            if case .name(let name) = host { name.hasSuffix("." + suffix) } else { false }
        }
    }

    /// The entry as it is shown in messages: what the operator wrote, never more of a URL.
    package var description: String {
        switch self.kind {
        case .exact(let host): host.description
        case .below(let suffix): "*." + suffix
        }
    }
}
