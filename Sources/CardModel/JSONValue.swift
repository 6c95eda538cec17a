/// A JSON value exactly as written: with all digits of numbers, and all members of objects, repeated ones included. `JSONDecoder`
/// turns 0.0 into 0, rounds long numbers, and silently drops one of two equal names: too unreliable where a code decides about a
/// delivery. A value does not print itself, because replies hold personal data.
package indirect enum JSONValue: Hashable, Sendable, Discreet {
    /// The maximum nesting depth of a document.
    static let maxDepth = 64

    /// An object's members, in order.
    case object([Member])
    case array([JSONValue])
    case string(String)
    /// A number, in its own digits.
    case number(String)
    case boolean(Bool)
    case null

    package struct Member: Hashable, Sendable {
        package let name: String
        package let value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Reads a document (RFC 8259); `nil` if the bytes are not one value in UTF-8, or nested too deeply.
    package init?(parsing bytes: some Sequence<UInt8>) {
        var reader = JSONReader(bytes: Array(bytes))
        guard let value = reader.readDocument() else { return nil }
        self = value
    }

    /// Returns how many members of an object have a name; 0 for other values.
    package func count(of name: String) -> Int {
        if case .object(let members) = self { members.count { $0.name == name } } else { 0 }
    }

    /// The value of the only member with a name; `nil` if an object has none or several, and for other values.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self, self.count(of: name) == 1 else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The members of an object; none of other values.
    package var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// The elements of an array; none of other values.
    package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    /// The names that this object, or an object anywhere within the value, has more than once.
    package var repeatedNames: Set<String> {
        var seen: Set<String> = []
        let repeated = Set(self.members.map(\.name).filter { !seen.insert($0).inserted })
        return (self.members.map(\.value) + self.elements).reduce(into: repeated) { $0.formUnion($1.repeatedNames) }
    }

    package var isObject: Bool { if case .object = self { true } else { false } }

    /// The text of a string or a number, trimmed; `nil` for other values and if nothing is left.
    package var text: String? {
        switch self {
        case .string(let text), .number(let text): text.trimmed.isEmpty ? nil : text.trimmed
        default: nil
        }
    }

    /// The value of a number or a numeric string; `nil` for other values and for what is not finite.
    package var double: Double? { self.text.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } }

    /// The kind only.
    package var description: String { "JSONValue" }
}

/// Reads JSON strictly, byte by byte, with bounded nesting.
private struct JSONReader {
    let bytes: [UInt8]
    var index = 0

    /// Returns the only value of the document, after an optional byte order mark; `nil` if the document is not valid.
    mutating func readDocument() -> JSONValue? {
        if self.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { self.index = 3 }
        guard let value = self.readValue(depth: 0) else { return nil }
        self.skipSpace()
        return self.index == self.bytes.count ? value : nil
    }

    private var next: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    private mutating func skipSpace() {
        while let byte = self.next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { self.index += 1 }
    }

    /// Consumes a character, and the white space before it; `false` if another character comes next.
    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        self.skipSpace()
        guard self.next == UInt8(ascii: character) else { return false }
        self.index += 1
        return true
    }

    private mutating func consume(word: String) -> Bool {
        guard self.bytes[self.index...].starts(with: word.utf8) else { return false }
        self.index += word.utf8.count
        return true
    }

    private mutating func readValue(depth: Int) -> JSONValue? {
        self.skipSpace()
        switch self.next {
        case UInt8(ascii: "{"): return self.readObject(depth: depth + 1)
        case UInt8(ascii: "["):
            return self.readList(depth: depth + 1, end: "]") { $0.readValue(depth: depth + 1) }.map(JSONValue.array)
        case UInt8(ascii: "\""): return self.readString().map(JSONValue.string)
        case UInt8(ascii: "t"): return self.consume(word: "true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return self.consume(word: "false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return self.consume(word: "null") ? .null : nil
        default: return self.readNumber().map(JSONValue.number)
        }
    }

    private mutating func readObject(depth: Int) -> JSONValue? {
        self.readList(depth: depth, end: "}") { reader in
            reader.skipSpace()
            guard let name = reader.readString(), reader.consume(":") else { return nil }
            return reader.readValue(depth: depth).map { JSONValue.Member(name: name, value: $0) }
        }
        .map(JSONValue.object)
    }

    /// Reads the items between two brackets, separated by commas.
    private mutating func readList<Item>(
        depth: Int,
        end: Unicode.Scalar,
        item: (inout JSONReader) -> Item?
    ) -> [Item]? {
        guard depth <= JSONValue.maxDepth else { return nil }
        self.index += 1
        var items: [Item] = []
        if self.consume(end) { return items }
        repeat {
            guard let item = item(&self) else { return nil }
            items.append(item)
        } while self.consume(",")
        return self.consume(end) ? items : nil
    }

    /// Returns the digits of a number exactly as written.
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
        while self.next?.isASCIIDigit == true { self.index += 1 }
        return self.index - start
    }

    /// Returns the text of a string, with its escapes replaced.
    private mutating func readString() -> String? {
        guard self.next == UInt8(ascii: "\"") else { return nil }
        self.index += 1
        var text: [UInt8] = []
        var start = self.index
        while let byte = self.next {
            self.index += 1
            switch byte {
            case UInt8(ascii: "\""):
                let tail = self.bytes[start..<self.index - 1]
                // A text without escapes can be megabytes long: it is not copied once more.
                return String(validating: text.isEmpty ? tail : text + tail, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text += self.bytes[start..<self.index - 1]
                guard let scalar = self.readEscape() else { return nil }
                text += Array(String(scalar).utf8)
                start = self.index
            case 0..<0x20: return nil
            default: break
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

    /// Reads the four digits of an escape, and a second escape if the first is the leading half of a surrogate pair.
    private mutating func readUnicodeEscape() -> Unicode.Scalar? {
        guard let unit = self.readHexadecimal() else { return nil }
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
        guard self.consume(word: "\\u"), let trail = self.readHexadecimal(), UTF16.isTrailSurrogate(trail) else {
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
