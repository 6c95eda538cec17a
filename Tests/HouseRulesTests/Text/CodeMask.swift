/// Blanks out comments and string literals of Swift and C, keeping every line break and the length of every line.
struct CodeMask {
    private let bytes: [UInt8]
    private var position = 0
    private var result: [UInt8] = []

    private init(_ text: String) {
        self.bytes = Array(text.utf8)
        self.result.reserveCapacity(self.bytes.count)
    }

    /// Returns the code alone.
    static func mask(_ text: String) -> String {
        var mask = CodeMask(text)
        mask.code(endingAtParenthesis: false)
        return String(decoding: mask.result, as: UTF8.self)
    }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { self.bytes[self.position...].starts(with: $0) }
    }

    /// Whether a byte may start what is not plain code, or is counted.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"):
            true
        default: false
        }
    }

    private mutating func keep() {
        self.result.append(self.bytes[self.position])
        self.position += 1
    }

    private mutating func blank(_ count: Int = 1) {
        for _ in 0..<count where self.position < self.bytes.count {
            let isBreak = self.bytes[self.position] == UInt8(ascii: "\n")
            self.result.append(isBreak ? UInt8(ascii: "\n") : UInt8(ascii: " "))
            self.position += 1
        }
    }

    private mutating func code(endingAtParenthesis: Bool) {
        var depth = 0
        while self.position < self.bytes.count {
            let byte = self.bytes[self.position]
            if !Self.isSpecial(byte) {
                self.keep()
            } else if self.starts(with: "//") {
                while self.position < self.bytes.count, self.bytes[self.position] != UInt8(ascii: "\n") { self.blank() }
            } else if self.starts(with: "/*") {
                self.blockComment()
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#"), let hashes = self.openingHashes() {
                self.literal(hashes: hashes)
            } else if self.starts(with: "'\"'") {
                self.blank(3)
            } else {
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") { depth -= 1 }
                self.keep()
                if endingAtParenthesis, depth < 0 { return }
            }
        }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if self.starts(with: "/*") {
                depth += 1
                self.blank(2)
            } else if self.starts(with: "*/") {
                depth -= 1
                self.blank(2)
            } else {
                self.blank()
            }
        } while depth > 0 && self.position < self.bytes.count
    }

    /// How many `#` stand before the quote that starts here; `nil` if no literal starts here.
    private func openingHashes() -> Int? {
        let hashes = self.bytes[self.position...].prefix { $0 == UInt8(ascii: "#") }.count
        let quote = self.position + hashes
        return quote < self.bytes.count && self.bytes[quote] == UInt8(ascii: "\"") ? hashes : nil
    }

    private mutating func literal(hashes: Int) {
        self.blank(hashes)
        let hash = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
        let isLong = self.starts(with: "\"\"\"")
        let end = [UInt8](repeating: UInt8(ascii: "\""), count: isLong ? 3 : 1) + hash
        let escape = [UInt8(ascii: "\\")] + hash
        self.blank(isLong ? 3 : 1)
        while self.position < self.bytes.count {
            let byte = self.bytes[self.position]
            guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\n") else {
                self.blank()
                continue
            }
            let rest = self.bytes[self.position...]
            if rest.starts(with: end) { return self.blank(end.count) }
            // A short literal never spans lines; without this, one quote in a macro would hide the rest of a C file.
            if !isLong, rest.first == UInt8(ascii: "\n") { return }
            if rest.starts(with: escape + [UInt8(ascii: "(")]) {
                self.blank(escape.count + 1)
                self.code(endingAtParenthesis: true)
            } else if rest.starts(with: escape) {
                self.blank(escape.count + 1)
            } else {
                self.blank()
            }
        }
    }
}
