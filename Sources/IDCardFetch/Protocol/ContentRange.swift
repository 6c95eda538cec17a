/// A `Content-Range` of bytes (RFC 9110 section 14.4).
struct ContentRange: Equatable {
    /// The bytes that come; `nil` in the answer that none can (`bytes */1234`).
    let bytes: Range<Int>?
    /// How many bytes there are in all; `nil` if the server does not say it.
    let total: Int?

    /// Reads the value of the header; `nil` if it is not well-formed or contradicts itself.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let fields = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard fields.count == 2 else { return nil }
        let total = Self.number(fields[1])
        guard fields[1] == "*" || total != nil else { return nil }
        self.total = total
        if fields[0] == "*" {
            guard total != nil else { return nil }
            self.bytes = nil
            return
        }
        let ends = fields[0].split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < Int.max else {
            return nil
        }
        guard last < total ?? .max else { return nil }
        self.bytes = first..<last + 1
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
