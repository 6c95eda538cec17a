import CardModel

/// A header that cannot be sent: the name at most, never the value.
struct HeaderViolation: Error {
    /// What is wrong with it.
    let message: Message
}

/// A header that a caller adds to a request.
struct HeaderField: Sendable {
    /// The headers that say how the request is framed and where it goes: two of them would be read differently by different
    /// servers.
    private static let reserved: Set<String> = [
        "connection", "content-length", "content-type", "expect", "host", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]

    /// The name.
    let name: String
    /// The value; may be a secret.
    let value: Redacted<String>

    /// Checks a header (RFC 9110 section 5).
    init(_ name: String, _ value: String) throws(HeaderViolation) {
        guard Self.isToken(name) else {
            throw HeaderViolation(message: "the name of a header is empty or holds an illegal character")
        }
        guard !Self.reserved.contains(name.lowercased()) else {
            throw HeaderViolation(message: "the header \(name) is set by this client and must not be given")
        }
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), value == value.trimmed else {
            throw HeaderViolation(
                message:
                    "the value of the header \(name) holds other than visible ASCII, or begins or ends with a blank"
            )
        }
        self.name = name
        self.value = Redacted(value)
    }

    /// Whether a text is a token (RFC 9110 section 5.6.2), as names of headers are.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
