import CardModel
import MultipartForm

/// A URL parsed once: the checked parts are those that are connected to and sent.
///
/// Accepts a small part of RFC 3986 and no leniency of browsers, so that the text has only one interpretation: `http` or `https`,
/// a host, an optional port, path and query, all in ASCII.
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
    /// Path and query as they are sent; a secret, for they may be signed.
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
        // RFC 3986 section 2. It excludes the backslash, which browsers treat as a slash.
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

    private static func split(_ authority: Substring) throws(CodedError) -> (host: String, port: Int?) {
        // The colons of IPv6 lie inside its brackets.
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
    /// A text without the URL, which may be signed.
    var description: String { "FetchTarget(<redacted>)" }
}

extension FetchTarget.Host {
    /// Reads the host of a URL: a name, an IPv4 address, or an IPv6 address in brackets; `nil` for everything else.
    ///
    /// That includes all texts that `inet_aton`, and therefore `getaddrinfo`, reads as an IPv4 address although they are not four
    /// decimal numbers: names whose last label is a number (decimal, octal, or `0x…`), as in the WHATWG's URL standard. Zones,
    /// percent-encoding and a final dot are refused, too.
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

    /// Whether a label has only letters, digits, hyphens (RFC 1123 section 2.1), and underscores, as names of buckets do.
    private static func isLabel(_ label: Substring) -> Bool {
        guard (1...63).contains(label.utf8.count), label.first != "-", label.last != "-" else { return false }
        return label.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
    }
}
