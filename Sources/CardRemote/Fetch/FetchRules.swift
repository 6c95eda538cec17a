package import CardModel

/// The images that may be fetched (`fetch.*`). Connections are never made through a proxy, which would resolve names itself and
/// bypass the rules for addresses.
package struct FetchSettings: Sendable {
    /// The hosts that images may come from: names, addresses, or `*.suffix`; if empty, nothing is fetched.
    package var hosts: [String] = []
    /// The allowed blocks of addresses that are not public.
    package var allowedAddresses: [String] = []
    /// Whether URLs may begin with `http://`.
    package var allowsHTTP = false
    /// The ports that URLs may have.
    package var ports = ["80", "443"]
    /// How many redirects are followed; each is checked like the URL, and none leads from https to http.
    package var maximumRedirects = 0
    /// The certificates to trust in place of the system's.
    package var caFile: String?

    /// Makes the defaults, with which nothing is fetched.
    package init() {}

    /// The mistakes in the settings, by key.
    package var mistakes: [(key: String, message: Message)] {
        let hosts = self.hosts.filter { HostPattern($0) == nil }
            .map { ("fetch.hosts", Message.fetchHostInvalid($0)) }
        let blocks = self.allowedAddresses.filter { AddressBlock($0) == nil }
            .map { ("fetch.allow_addresses", Message.fetchBlockInvalid($0)) }
        let ports = self.ports.filter { Self.port($0) == nil }.map { ("fetch.ports", Message.fetchPortInvalid($0)) }
        return hosts + blocks + ports
    }

    /// Returns a function that checks a URL without connecting: it returns why the URL is forbidden, `nil` if it is allowed.
    package func addressCheck() -> @Sendable (Redacted<String>) -> CodedError? {
        let rules = FetchRules(self)
        return { address in
            do throws(CodedError) {
                _ = try rules.check(address.reveal())
                return nil
            } catch {
                return error
            }
        }
    }

    fileprivate static func port(_ text: String) -> Int? {
        Int(text).flatMap { (1...65_535).contains($0) ? $0 : nil }
    }
}

/// The rules for URLs and redirects, by scheme, port and host, that apply before a name is resolved.
struct FetchRules: Sendable {
    let addresses: AddressRules
    let maximumRedirects: Int
    private let hosts: [HostPattern]
    private let ports: Set<Int>
    private let allowsHTTP: Bool

    /// Makes the rules from settings, which should have no mistakes; an invalid entry allows nothing.
    init(_ settings: FetchSettings) {
        self.addresses = AddressRules(allowed: settings.allowedAddresses.compactMap { AddressBlock($0) })
        self.maximumRedirects = settings.maximumRedirects
        self.hosts = settings.hosts.compactMap { HostPattern($0) }
        self.ports = Set(settings.ports.compactMap(FetchSettings.port))
        self.allowsHTTP = settings.allowsHTTP
    }

    /// Parses and checks a URL.
    ///
    /// - Returns: the target, and the name of its host in messages, which is the matching entry of the list.
    /// - Throws: `CodedError` of kind `input`.
    func check(_ url: String) throws(CodedError) -> (target: FetchTarget, label: String) {
        let target = try FetchTarget(url)
        guard !self.hosts.isEmpty else { throw CodedError(.fetchHostRefused, .input, .fetchNoHosts) }
        guard let entry = self.hosts.first(where: { $0.matches(target.host) }) else {
            throw CodedError(.fetchHostRefused, .input, .fetchHostRefused)
        }
        guard target.usesTLS || self.allowsHTTP else {
            throw CodedError(.fetchSchemeRefused, .input, .fetchHTTPRefused)
        }
        guard self.ports.contains(target.port) else {
            throw CodedError(.fetchPortRefused, .input, .fetchPortRefused(target.port))
        }
        return (target, entry.text)
    }
}

/// An entry of the list of allowed hosts: an exact name, an address, or `*.suffix` for all names below it.
private struct HostPattern: Sendable {
    /// The entry as the operator wrote it, for messages.
    let text: String
    private let host: FetchTarget.Host
    /// Whether the pattern matches the names below `host`, not `host` itself.
    private let isBelow: Bool

    /// Reads an entry; `nil` for `*` alone, which would allow all hosts, and for a star that is not the first label.
    init?(_ text: String) {
        self.isBelow = text.hasPrefix("*.")
        guard let host = FetchTarget.Host(self.isBelow ? String(text.dropFirst(2)) : text) else { return nil }
        if case .address = host, self.isBelow { return nil }
        self.host = host
        self.text = text
    }

    /// Whether the pattern matches; `*.example.org` does not match `example.org`.
    func matches(_ other: FetchTarget.Host) -> Bool {
        guard self.isBelow else { return self.host == other }
        guard case .name(let suffix) = self.host, case .name(let name) = other else { return false }
        return name.hasSuffix("." + suffix)
    }
}

extension ReasonCode {
    static let fetchURLInvalid = ReasonCode(rawValue: "fetch_url_invalid")
    static let fetchSchemeRefused = ReasonCode(rawValue: "fetch_scheme_refused")
    static let fetchPortRefused = ReasonCode(rawValue: "fetch_port_refused")
    static let fetchHostRefused = ReasonCode(rawValue: "fetch_host_refused")
    static let fetchAddressRefused = ReasonCode(rawValue: "fetch_address_refused")
    static let fetchRedirectRefused = ReasonCode(rawValue: "fetch_redirect_refused")
    static let fetchEncodingRefused = ReasonCode(rawValue: "fetch_encoding_refused")
    static let fetchNotAnImage = ReasonCode(rawValue: "fetch_not_an_image")
    static let fetchEmpty = ReasonCode(rawValue: "fetch_empty")
}
