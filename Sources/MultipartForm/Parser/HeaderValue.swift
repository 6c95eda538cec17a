/// A header's value with its parameters, as in `form-data; name="a"; filename="b.jpg"` (RFC 9110 section 5.6.6).
///
/// Parameter names are compared without regard to case, values are quoted strings or tokens, and a `;` or `=` in quotes
/// is part of the value. Unquoted values may also hold `( ) / : = ?`, which some clients leave bare in boundaries, and
/// bytes past ASCII.
struct HeaderValue {
    /// What stands before the first semicolon, in lower case.
    let essence: String

    private let parameters: [(name: String, value: String)]

    /// Parses a value.
    ///
    /// In quotes, `\"` and `\\` stand for `"` and `\`, any other backslash for itself. Browsers, node and this module
    /// however write backslashes bare, so that a name that ends in one gives `name="a\"`: when the value cannot be
    /// parsed with escapes, it is parsed without. What those write never parses with escapes if a name ends in a
    /// backslash, because a stray quote is left over; so nothing is misread for it.
    ///
    /// - Parameter text: The value; `nil` is the result for one that is malformed both ways.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let parsed = Self.parse(bytes, hasEscapes: true) ?? Self.parse(bytes, hasEscapes: false) else {
            return nil
        }
        self = parsed
    }

    private init(essence: String, parameters: [(name: String, value: String)]) {
        self.essence = essence
        self.parameters = parameters
    }

    /// All values of a parameter.
    ///
    /// - Parameter name: In lower case.
    func values(of name: String) -> [String] {
        self.parameters.filter { $0.name == name }.map(\.value)
    }

    /// Tells whether RFC 9110 section 5.6.2 allows a byte in a token.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        Boundary.isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private static func parse(_ bytes: [UInt8], hasEscapes: Bool) -> HeaderValue? {
        var cursor = Cursor(bytes: bytes, hasEscapes: hasEscapes)
        let essence = cursor.take { self.isTokenByte($0) || $0 == UInt8(ascii: "/") }
        guard !essence.isEmpty else { return nil }
        var parameters: [(name: String, value: String)] = []
        cursor.skipBlanks()
        while let separator = cursor.next() {
            guard separator == UInt8(ascii: ";") else { return nil }
            cursor.skipBlanks()
            // A semicolon at the end, or two of them, separates nothing (RFC 9110 section 5.6.6).
            if cursor.isAtEnd || cursor.peek() == UInt8(ascii: ";") { continue }
            let name = cursor.take(while: self.isTokenByte)
            guard !name.isEmpty, cursor.next() == UInt8(ascii: "="), let value = cursor.value() else { return nil }
            parameters.append((self.text(name).lowercased(), self.text(value)))
            cursor.skipBlanks()
        }
        return HeaderValue(essence: self.text(essence).lowercased(), parameters: parameters)
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension HeaderValue {
    /// A position in the bytes of a value.
    private struct Cursor {
        let bytes: [UInt8]
        let hasEscapes: Bool
        private var index = 0

        init(bytes: [UInt8], hasEscapes: Bool) {
            self.bytes = bytes
            self.hasEscapes = hasEscapes
        }

        var isAtEnd: Bool { self.index == self.bytes.count }

        func peek() -> UInt8? { self.isAtEnd ? nil : self.bytes[self.index] }

        mutating func next() -> UInt8? {
            guard let byte = self.peek() else { return nil }
            self.index += 1
            return byte
        }

        mutating func take(while isIncluded: (UInt8) -> Bool) -> [UInt8] {
            let taken = self.bytes[self.index...].prefix(while: isIncluded)
            self.index += taken.count
            return Array(taken)
        }

        mutating func skipBlanks() {
            _ = self.take { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        }

        /// A quoted string or a token; an empty token is none.
        mutating func value() -> [UInt8]? {
            guard self.peek() == UInt8(ascii: "\"") else {
                let token = self.take { byte in
                    HeaderValue.isTokenByte(byte) || byte >= 0x80 || "()/:=?".utf8.contains(byte)
                }
                return token.isEmpty ? nil : token
            }
            self.index += 1
            var value: [UInt8] = []
            while let byte = self.next() {
                if byte == UInt8(ascii: "\"") { return value }
                let isEscape =
                    self.hasEscapes && byte == UInt8(ascii: "\\")
                    && (self.peek() == UInt8(ascii: "\"") || self.peek() == UInt8(ascii: "\\"))
                value.append(isEscape ? self.next() ?? byte : byte)
            }
            return nil
        }
    }
}
