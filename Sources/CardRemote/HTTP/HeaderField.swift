import CardModel

/// A header that cannot be sent: the name at most, never the value.
struct HeaderViolation: Error {
    /// What is wrong with it.
    let message: Message
}

/// A header that a caller adds to a request.
struct HeaderField: Sendable {
    /// The name.
    let name: String
    /// The value; may be a secret.
    let value: Redacted<String>

    /// Checks a header (RFC 9110 section 5).
    init(_ name: String, _ value: String) throws(HeaderViolation) {
        // A token (RFC 9110 section 5.6.2).
        guard name.wholeMatch(of: #/[A-Za-z0-9!#$%&'*+\-.^_`|~]+/#) != nil else {
            throw HeaderViolation(message: "the name of a header is empty or holds an illegal character")
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
}
