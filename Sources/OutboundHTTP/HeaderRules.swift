/// Says which headers a caller may add to a request (RFC 9110 section 5).
enum HeaderRules {
    /// A header that cannot be sent.
    struct Violation: Error {
        /// What is wrong with it, for people; the name at most, never the value.
        let message: String
    }

    /// The headers that say how the request is framed and where it goes: two of them would be read differently by
    /// different servers.
    private static let reserved: Set<String> = [
        "connection", "content-length", "content-type", "expect", "host", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]

    /// Checks names and values before anything is sent.
    static func check(_ headers: [(name: String, value: String)]) throws(Violation) {
        for (index, header) in headers.enumerated() {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy(self.isTokenCharacter) else {
                throw Violation(message: "the name of header \(index + 1) is empty or holds an illegal character")
            }
            guard !self.reserved.contains(header.name.lowercased()) else {
                throw Violation(message: "the header '\(header.name)' is set by this client and must not be given")
            }
            let value = header.value.utf8
            guard value.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
                throw Violation(
                    message: "the value of the header '\(header.name)' holds a character other than visible ASCII and"
                        + " blanks"
                )
            }
            guard !self.isBlank(value.first), !self.isBlank(value.last) else {
                throw Violation(message: "the value of the header '\(header.name)' begins or ends with a blank")
            }
        }
    }

    private static func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }

    /// A character of a token (RFC 9110 section 5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
