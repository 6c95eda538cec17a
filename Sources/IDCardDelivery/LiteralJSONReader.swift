/// Reads JSON strictly (RFC 8259), byte by byte, with bounded nesting.
struct LiteralJSONReader {
    /// How deep arrays and objects may be nested.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var index = 0

    /// Takes a document.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the one value of the document; `nil` if it is not valid.
    mutating func readDocument() -> LiteralJSON? {
        guard let value = self.readValue(depth: 0) else { return nil }
        self.skipSpace()
        return self.index == self.bytes.count ? value : nil
    }

    private var next: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    private mutating func skipSpace() {
        while let byte = self.next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { self.index += 1 }
    }

    /// Takes a byte, with the white space before it.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        self.skipSpace()
        guard self.next == UInt8(ascii: character) else { return false }
        self.index += 1
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard self.index + count <= self.bytes.count,
            word.withUTF8Buffer({ self.bytes[self.index..<self.index + count].elementsEqual($0) })
        else { return false }
        self.index += count
        return true
    }

    private mutating func readValue(depth: Int) -> LiteralJSON? {
        self.skipSpace()
        switch self.next {
        case UInt8(ascii: "{"): return self.readObject(depth: depth + 1)
        case UInt8(ascii: "["): return self.readArray(depth: depth + 1)
        case UInt8(ascii: "\""): return self.readString().map(LiteralJSON.string)
        case UInt8(ascii: "t"): return self.take(word: "true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return self.take(word: "false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return self.take(word: "null") ? .null : nil
        default: return self.readNumber().map(LiteralJSON.number)
        }
    }

    private mutating func readObject(depth: Int) -> LiteralJSON? {
        guard depth <= Self.maximumDepth, self.take("{") else { return nil }
        var members: [LiteralJSON.Member] = []
        if self.take("}") { return .object(members) }
        repeat {
            self.skipSpace()
            guard let name = self.readString(), self.take(":"), let value = self.readValue(depth: depth) else {
                return nil
            }
            members.append(LiteralJSON.Member(name: name, value: value))
        } while self.take(",")
        return self.take("}") ? .object(members) : nil
    }

    private mutating func readArray(depth: Int) -> LiteralJSON? {
        guard depth <= Self.maximumDepth, self.take("[") else { return nil }
        var values: [LiteralJSON] = []
        if self.take("]") { return .array(values) }
        repeat {
            guard let value = self.readValue(depth: depth) else { return nil }
            values.append(value)
        } while self.take(",")
        return self.take("]") ? .array(values) : nil
    }

    private mutating func readNumber() -> String? {
        let start = self.index
        if self.next == UInt8(ascii: "-") { self.index += 1 }
        let first = self.index
        guard self.skipDigits() > 0, self.bytes[first] != UInt8(ascii: "0") || self.index == first + 1 else {
            return nil
        }
        if self.next == UInt8(ascii: ".") {
            self.index += 1
            guard self.skipDigits() > 0 else { return nil }
        }
        if self.next.map({ $0 | 0x20 }) == UInt8(ascii: "e") {
            self.index += 1
            if self.next == UInt8(ascii: "+") || self.next == UInt8(ascii: "-") { self.index += 1 }
            guard self.skipDigits() > 0 else { return nil }
        }
        return String(decoding: self.bytes[start..<self.index], as: UTF8.self)
    }

    private mutating func skipDigits() -> Int {
        let start = self.index
        while let byte = self.next, (0x30...0x39).contains(byte) { self.index += 1 }
        return self.index - start
    }

    private mutating func readString() -> String? {
        guard self.next == UInt8(ascii: "\"") else { return nil }
        self.index += 1
        var text: [UInt8] = []
        while let byte = self.next {
            self.index += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = self.readEscape() else { return nil }
                text += Array(String(scalar).utf8)
            case 0..<0x20:
                return nil
            default:
                text.append(byte)
            }
        }
        return nil
    }

    private mutating func readEscape() -> Unicode.Scalar? {
        guard let byte = self.next else { return nil }
        self.index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return self.readUnicodeEscape()
        default: return nil
        }
    }

    /// Reads the four digits of an escape, and a second escape where the first is half a pair of surrogates.
    private mutating func readUnicodeEscape() -> Unicode.Scalar? {
        guard let unit = self.readHexadecimal() else { return nil }
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
        guard self.take(word: "\\u"), let trail = self.readHexadecimal(), UTF16.isTrailSurrogate(trail) else {
            return nil
        }
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private mutating func readHexadecimal() -> UInt16? {
        guard self.index + 4 <= self.bytes.count else { return nil }
        var value: UInt16 = 0
        for byte in self.bytes[self.index..<self.index + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt16(digit)
        }
        self.index += 4
        return value
    }
}
