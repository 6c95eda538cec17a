import CardModel
import MultipartForm

/// A URL that is parsed only once, so that the parts that were checked are those that are used. Accepts only a small part of RFC
/// 3986, so that all programs interpret the text alike: `http` or `https`, a host, an optional port, path and query, all in
/// ASCII.
struct FetchTarget: Hashable, Sendable {
    enum Host: Hashable, Sendable, CustomStringConvertible {
        /// A name in lower case; never one that could be read as an address.
        case name(String)
        /// An address in its canonical spelling.
        case address(IPAddress)
    }

    let usesTLS: Bool
    let host: Host
    /// The port; that of the scheme if the URL has none.
    let port: Int
    /// Path and query as they are sent; secret, because they may contain a signature.
    let requestTarget: String

    /// The value of the `Host` header (RFC 9110 section 7.2).
    var hostField: String { self.port == (self.usesTLS ? 443 : 80) ? "\(self.host)" : "\(self.host):\(self.port)" }

    /// The whole URL, for resolving a relative one against it.
    var url: String { "\(self.usesTLS ? "https" : "http")://\(self.hostField)\(self.requestTarget)" }

    /// Parses a URL.
    ///
    /// - Throws: `fetch_url_invalid` or `fetch_scheme_refused`, without quoting the URL.
    init(_ text: String) throws(CodedError) {
        guard text.utf8.count <= Limits.fetchURLBytes else { throw Self.invalid(.fetchURLTooLong) }
        // The characters of RFC 3986 section 2. The backslash, which browsers treat as a slash, is not one of them.
        let isOfURLs = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains($0) }
        guard isOfURLs else { throw Self.invalid(.fetchURLCharacter) }
        guard let colon = text.firstRange(of: "://") else { throw Self.invalid(.fetchURLRelative) }
        switch text[..<colon.lowerBound].lowercased() {
        case "https": self.usesTLS = true
        case "http": self.usesTLS = false
        default: throw CodedError(.fetchSchemeRefused, .input, .fetchURLScheme)
        }
        // A fragment is never sent.
        let remainder = text[colon.upperBound...].prefix { $0 != "#" }
        let authority = remainder.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw Self.invalid(.fetchURLUser) }
        let (host, port) = try Self.split(authority)
        guard let host = Host(host) else { throw Self.invalid(.fetchURLHost) }
        self.host = host
        self.port = port ?? (self.usesTLS ? 443 : 80)
        let target = remainder.dropFirst(authority.count)
        self.requestTarget = target.hasPrefix("/") ? String(target) : "/" + target
    }

    /// Splits host and port; throws if the port is not a number from 1 to 65535.
    private static func split(_ authority: Substring) throws(CodedError) -> (host: String, port: Int?) {
        // Skips the colons of an IPv6 address, which are within its brackets.
        let end = authority.firstIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[end...].firstIndex(of: ":") else { return (String(authority), nil) }
        let digits = authority[authority.index(after: colon)...]
        let isDecimal = (1...5).contains(digits.count) && digits.utf8.allSatisfy(\.isASCIIDigit)
        guard isDecimal, let port = Int(digits), (1...65_535).contains(port) else { throw self.invalid(.fetchURLPort) }
        return (String(authority[..<colon]), port)
    }

    private static func invalid(_ message: Message) -> CodedError { CodedError(.fetchURLInvalid, .input, message) }
}

extension FetchTarget: Discreet {
    /// A text without the URL, which may contain a signature.
    var description: String { "FetchTarget(<redacted>)" }
}

extension FetchTarget.Host {
    /// Reads the host of a URL: a name, an IPv4 address, or an IPv6 address in brackets; `nil` for everything else. A name must
    /// not end in a number (decimal, octal, or `0x…`), as in the WHATWG's URL standard: `inet_aton`, and therefore `getaddrinfo`,
    /// would read it as an IPv4 address. Zones, percent-encoding and a final dot are refused, too.
    init?(_ text: String) {
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
        guard !last.hasPrefix("0x"), !last.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        self = .name(name)
    }

    /// The name, or the address as written in a URL.
    var description: String {
        switch self {
        case .name(let name): name
        case .address(let address): address.bitCount == 128 ? "[\(address)]" : "\(address)"
        }
    }

    /// Whether a label has only letters, digits and hyphens (RFC 1123 section 2.1), or underscores, as names of buckets do.
    private static func isLabel(_ label: Substring) -> Bool {
        guard (1...63).contains(label.utf8.count), label.first != "-", label.last != "-" else { return false }
        return label.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
    }
}
