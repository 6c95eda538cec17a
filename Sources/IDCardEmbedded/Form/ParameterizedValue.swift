/// A header value with parameters, such as `form-data; name="a"; filename=b.jpg` (RFC 2183, RFC 9110 section 5.6.6).
///
/// In quotes a backslash stands for the quote or backslash after it; before any other character it is itself, because
/// browsers do not escape it. A percent sign is itself everywhere. A value must be UTF-8.
struct ParameterizedValue {
    /// What stands before the first semicolon, in lower case.
    let value: String
    /// The parameters by name in lower case.
    let parameters: [String: String]

    /// Reads a header's value.
    ///
    /// - Parameters:
    ///   - bytes: The value.
    ///   - what: The header, for messages: the beginning of a sentence.
    /// - Throws: ``EmbeddedError`` `formMalformed`: a parameter that is given twice, cut, or holds CR, LF or NUL.
    init(parsing bytes: [UInt8], what: String) throws(EmbeddedError) {
        var cursor = Cursor(bytes: bytes, what: what)
        let value = cursor.take { $0.isTokenByte || $0 == UInt8(ascii: "/") }
        guard !value.isEmpty else { throw .malformed("\(what) does not begin with a word.") }
        var parameters: [String: String] = [:]
        cursor.skipBlanks()
        while !cursor.isAtEnd {
            guard cursor.takeOne(UInt8(ascii: ";")) else {
                throw .malformed("\(what) has text where a semicolon must be.")
            }
            cursor.skipBlanks()
            let name = String(decoding: cursor.take(while: \.isTokenByte), as: UTF8.self).lowercased()
            guard !name.isEmpty, cursor.takeOne(UInt8(ascii: "=")) else {
                throw .malformed("\(what) has a parameter that is not 'name=value'.")
            }
            guard parameters.updateValue(try cursor.takeValue(), forKey: name) == nil else {
                throw .malformed("\(what) has a parameter twice.")
            }
            cursor.skipBlanks()
        }
        self.value = String(decoding: value, as: UTF8.self).lowercased()
        self.parameters = parameters
    }
}

extension ParameterizedValue {
    /// A place in the bytes of a header.
    private struct Cursor {
        let bytes: [UInt8]
        let what: String
        private var index = 0

        init(bytes: [UInt8], what: String) {
            self.bytes = bytes
            self.what = what
        }

        var isAtEnd: Bool { self.index == self.bytes.count }

        mutating func skipBlanks() {
            _ = self.take { $0 == 0x20 || $0 == 0x09 }
        }

        mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
            let taken = self.bytes[self.index...].prefix(while: condition)
            self.index = taken.endIndex
            return taken
        }

        mutating func takeOne(_ byte: UInt8) -> Bool {
            guard !self.isAtEnd, self.bytes[self.index] == byte else { return false }
            self.index += 1
            return true
        }

        mutating func takeValue() throws(EmbeddedError) -> String {
            let bytes: [UInt8]
            if self.takeOne(UInt8(ascii: "\"")) {
                bytes = try self.takeQuoted()
            } else {
                bytes = Array(self.take(while: \.isTokenByte))
                guard !bytes.isEmpty else { throw .malformed("\(self.what) has a parameter without a value.") }
            }
            guard let value = String(validating: bytes, as: UTF8.self) else {
                throw .malformed("\(self.what) has a parameter that is not UTF-8.")
            }
            return value
        }

        private mutating func takeQuoted() throws(EmbeddedError) -> [UInt8] {
            var result: [UInt8] = []
            while !self.isAtEnd {
                let byte = self.bytes[self.index]
                self.index += 1
                switch byte {
                case UInt8(ascii: "\""):
                    return result
                case UInt8(ascii: "\\"):
                    let next = self.isAtEnd ? nil : self.bytes[self.index]
                    if next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") { self.index += 1 }
                    result.append(next == UInt8(ascii: "\"") ? UInt8(ascii: "\"") : byte)
                case 0x00, 0x0A, 0x0D:
                    throw .malformed("\(self.what) has a parameter that holds CR, LF or NUL.")
                default:
                    result.append(byte)
                }
            }
            throw .malformed("\(self.what) has a quote that is not closed.")
        }
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII letter or digit.
    var isASCIIAlphanumeric: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// Whether RFC 9110 section 5.6.2 allows the byte in a token.
    var isTokenByte: Bool { self.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}
