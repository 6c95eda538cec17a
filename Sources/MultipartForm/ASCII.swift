extension UInt8 {
    /// Whether this byte is an ASCII letter or digit.
    package var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Whether RFC 9110 section 5.6.2 allows this byte in a token.
    package var isTokenByte: Bool { self.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}
