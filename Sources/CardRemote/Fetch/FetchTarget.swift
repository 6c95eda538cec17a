import CardModel
import MultipartForm

/// A URL taken apart once: what is checked is what is connected to and sent.
///
/// Reads a small part of RFC 3986 and nothing of what browsers forgive, so that there is no second reading of the same
/// text: `http` or `https`, a host, perhaps a port, path and query, all in ASCII.
struct FetchTarget: Hashable, Sendable {
    enum Host: Hashable, Sendable, CustomStringConvertible {
        /// A name in lower case; never one that could be read as an address.
        case name(String)
        /// An address in its canonical spelling.
        case address(IPAddress)
    }

    let usesTLS: Bool
    let host: Host
    /// The port, that of the scheme if the URL names none.
    let port: Int
    /// Path and query as they are sent; a secret, for they may be signed.
    let requestTarget: String

    /// The value of the `Host` header (RFC 9110 section 7.2).
    var hostField: String { self.port == (self.usesTLS ? 443 : 80) ? "\(self.host)" : "\(self.host):\(self.port)" }

    /// The whole URL, for resolving a relative one against it.
    var url: String { "\(self.usesTLS ? "https" : "http")://\(self.hostField)\(self.requestTarget)" }

    /// Takes a URL apart.
    ///
    /// - Throws: `fetch_url_invalid` or `fetch_scheme_refused`, without repeating any of it.
    init(_ text: String) throws(CodedError) {
        guard text.utf8.count <= Limits.fetchURLBytes else { throw Self.invalid(.fetchURLTooLong) }
        // RFC 3986 section 2. A backslash, which browsers take for a slash, is not among them.
        let isOfURLs = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains($0) }
        guard isOfURLs else { throw Self.invalid(.fetchURLCharacter) }
        guard let colon = text.firstRange(of: "://") else { throw Self.invalid(.fetchURLRelative) }
        switch text[..<colon.lowerBound].lowercased() {
        case "https": self.usesTLS = true
        case "http": self.usesTLS = false
        default:
            throw CodedError(.fetchSchemeRefused, .input, .fetchURLScheme)
        }
        // A fragment is never sent.
        let rest = text[colon.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw Self.invalid(.fetchURLUser) }
        let (host, port) = try Self.split(authority)
        guard let host = Host(host) else { throw Self.invalid(.fetchURLHost) }
        self.host = host
        self.port = port ?? (self.usesTLS ? 443 : 80)
        let target = rest.dropFirst(authority.count)
        self.requestTarget = target.hasPrefix("/") ? String(target) : "/" + target
    }

    private static func split(_ authority: Substring) throws(CodedError) -> (host: String, port: Int?) {
        // The colons of IPv6 lie inside its brackets.
        let end = authority.firstIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[end...].firstIndex(of: ":") else { return (String(authority), nil) }
        let digits = authority[authority.index(after: colon)...]
        let isDecimal = (1...5).contains(digits.count) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isDecimal, let port = Int(digits), (1...65_535).contains(port) else { throw self.invalid(.fetchURLPort) }
        return (String(authority[..<colon]), port)
    }

    private static func invalid(_ message: Message) -> CodedError { CodedError(.fetchURLInvalid, .input, message) }
}

extension FetchTarget: Discreet {
    /// Nothing of the URL, which may be signed.
    var description: String { "FetchTarget(<redacted>)" }
}

extension FetchTarget.Host {
    /// Reads a host as it stands in a URL: a name, an IPv4 address, or an IPv6 address in brackets; `nil` for everything
    /// else.
    ///
    /// Everything else includes all that `inet_aton`, and with it `getaddrinfo`, takes for an IPv4 address although it
    /// is not four decimal numbers: a name whose last label is a number (decimal, octal, or `0x…`), as the WHATWG's URL
    /// standard tells them apart. Zones, percent-encoding and a dot at the end are refused too.
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
        guard !last.hasPrefix("0x"), !last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self = .name(name)
    }

    /// The name, or the address as it stands in a URL.
    var description: String {
        switch self {
        case .name(let name): name
        case .address(let address): address.bitCount == 128 ? "[\(address)]" : "\(address)"
        }
    }

    /// Letters, digits, hyphens and underscores, which occur in names of buckets (RFC 1123 section 2.1, else).
    private static func isLabel(_ label: Substring) -> Bool {
        guard (1...63).contains(label.utf8.count), label.first != "-", label.last != "-" else { return false }
        return label.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
    }
}
