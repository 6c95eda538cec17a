/// How a name that our encoder wrote is read: quotes and line breaks are escaped for good, directories are left out,
/// and two backslashes are one unless a backslash at an end shows that none is an escape.
enum WrittenName {
    private static let escapes: [UInt8: String] = [
        UInt8(ascii: "\""): "%22", UInt8(ascii: "\r"): "%0D", UInt8(ascii: "\n"): "%0A",
    ]

    static func expected(name: String, filename: String?) -> (name: String, filename: String?) {
        let last = filename.map { filename in
            String(decoding: filename.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.reversed(), as: UTF8.self)
        }
        let isBare = [name, last ?? ""].contains { self.backslashesAtEnd($0) % 2 == 1 }
        return (self.read(name, isBare: isBare), last.map { self.read($0, isBare: isBare) })
    }

    private static func backslashesAtEnd(_ text: String) -> Int {
        text.utf8.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
    }

    private static func read(_ text: String, isBare: Bool) -> String {
        var result: [UInt8] = []
        var isAfterBackslash = false
        for byte in text.utf8 {
            if let escape = self.escapes[byte] {
                result += Array(escape.utf8)
                isAfterBackslash = false
            } else if byte == UInt8(ascii: "\\"), isAfterBackslash, !isBare {
                isAfterBackslash = false
            } else {
                result.append(byte)
                isAfterBackslash = byte == UInt8(ascii: "\\")
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
