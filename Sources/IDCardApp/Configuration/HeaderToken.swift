/// What the name of an HTTP header may consist of (RFC 9110, section 5.6.2).
enum HeaderToken {
    private static let marks = Set("!#$%&'*+-.^_`|~".utf8)

    /// Whether a text is a token: at least one character, all of them ASCII letters, digits or some marks.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: Self.marks.contains(byte)
                }
            }
    }
}
