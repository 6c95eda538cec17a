import CardModel

/// A value as somebody wrote it.
enum WrittenValue: Sendable {
    case text(String)
    case list([String])

    /// The text of a value that is one; `nil` for an empty one.
    var text: String? {
        guard case .text(let text) = self, !text.isEmpty else { return nil }
        return text
    }

    /// The items of a list, or of a text with commas between them; `nil` if one of them is empty.
    var items: [String]? {
        let items: [String]
        switch self {
        case .list(let list): items = list
        case .text(let text):
            items = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
        }
        return items.contains("") ? nil : items
    }

    /// The value as a message shows it.
    var shown: String {
        switch self {
        case .text(let text): String(text.prefix(80))
        case .list(let items): "[" + String(items.joined(separator: ", ").prefix(80)) + "]"
        }
    }
}

/// A value as `config show` gives it out.
enum ShownValue: Hashable, Sendable, Encodable {
    case unset
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    /// A word or a measure that needs no quotes in YAML.
    case word(String)
    /// A text that may need quotes in YAML.
    case text(String)
    case list([String])
    /// Whether a secret is set; it is never shown itself.
    case secret(isSet: Bool)

    /// For people.
    var text: String {
        switch self {
        case .unset: "<unset>"
        case .bool(let value): String(value)
        case .integer(let value): String(value)
        case .number(let value): value == value.rounded() ? String(Int64(value)) : String(value)
        case .word(let value), .text(let value): value
        case .list(let items): items.isEmpty ? "[]" : items.joined(separator: ", ")
        case .secret(let isSet): isSet ? "<set>" : "<unset>"
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .unset: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .word(let value), .text(let value): try container.encode(value)
        case .list(let items): try container.encode(items)
        case .secret: try container.encode(self.text)
        }
    }
}

/// How the values of a key are written, read and shown.
struct ValueType<Value: Sendable>: Sendable {
    /// What is expected, for messages and the reference: `a whole number from 1 to 256`.
    let expectation: String
    /// Reads a value; `nil` if it is not what is expected.
    let read: @Sendable (WrittenValue, UserFolders) -> Value?
    /// Shows a value.
    let show: @Sendable (Value) -> ShownValue

    init(
        _ expectation: String,
        read: @escaping @Sendable (WrittenValue, UserFolders) -> Value?,
        show: @escaping @Sendable (Value) -> ShownValue
    ) {
        self.expectation = expectation
        self.read = read
        self.show = show
    }
}

extension ValueType<Bool> {
    /// Yes or no, also in the other words that YAML has for them.
    static let yesOrNo = ValueType("true or false") { written, _ in
        switch written.text?.lowercased() {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    } show: {
        .bool($0)
    }
}

extension ValueType<Int> {
    static func integer(_ range: ClosedRange<Int>) -> Self {
        ValueType("a whole number from \(range.lowerBound) to \(range.upperBound)") { written, _ in
            written.text.flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
        } show: {
            .integer(Int64($0))
        }
    }
}

extension ValueType where Value: FixedWidthInteger & Sendable {
    static func bytes(_ range: ClosedRange<Value>) -> Self {
        let ends = [range.lowerBound, range.upperBound].map { ByteCountText.render(Int64($0)) }
        return ValueType("a number of bytes such as 1990000, 2MB or 32MiB, from \(ends[0]) to \(ends[1])") {
            written,
            _ in
            written.text.flatMap(ByteCountText.parse).flatMap { Value(exactly: $0) }
                .flatMap { range.contains($0) ? $0 : nil }
        } show: {
            .word(ByteCountText.render(Int64($0)))
        }
    }
}

extension ValueType<Double> {
    static func number(_ range: ClosedRange<Double>) -> Self {
        ValueType("a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))") { written, _ in
            written.text.flatMap { Double($0) }.flatMap { range.contains($0) ? $0 : nil }
        } show: {
            .number($0)
        }
    }

    private static func plain(_ value: Double) -> String { ShownValue.number(value).text }
}

extension ValueType<Double?> {
    /// Calls per second; 0 stands for no bound.
    static let rate = ValueType("a number from 0 (no limit) to 10000") { written, _ in
        guard let number = written.text.flatMap({ Double($0) }), (0...10_000).contains(number) else { return nil }
        return .some(number == 0 ? nil : number)
    } show: {
        .number($0 ?? 0)
    }
}

extension ValueType<Duration> {
    static func duration(_ range: ClosedRange<Duration>) -> Self {
        let ends = [range.lowerBound, range.upperBound].map(DurationText.render)
        return ValueType("a time such as 500ms, 5s, 10m, 2h or 30d, from \(ends[0]) to \(ends[1])") { written, _ in
            written.text.flatMap(DurationText.parse).flatMap { range.contains($0) ? $0 : nil }
        } show: {
            .word(DurationText.render($0))
        }
    }
}

extension ValueType<String> {
    /// A text of one line.
    static let text = ValueType("a text of one line") { written, _ in
        written.text.flatMap { $0.isOneLine ? $0 : nil }
    } show: {
        .text($0)
    }

    /// An address; its query may hold a secret, so it is shown without.
    static let address = ValueType("an address such as https://host/path, without user name, password or #") {
        written,
        _ in
        written.text.flatMap { ServiceAddress($0) == nil ? nil : $0 }
    } show: {
        $0.isEmpty ? .unset : .text(ServiceAddress($0)?.shown ?? "<redacted>")
    }

    /// A path; `~/` is the home folder.
    static let path = ValueType("a path") { written, folders in
        written.text.flatMap { $0.isOneLine ? folders.expand($0) : nil }
    } show: {
        .text($0)
    }
}

extension ValueType<Redacted<String>> {
    /// A text of one line that is never shown.
    static let secret = ValueType("a text of one line") { written, _ in
        written.text.flatMap { $0.isOneLine ? Redacted($0) : nil }
    } show: {
        .secret(isSet: !$0.reveal().isEmpty)
    }
}

extension ValueType<[String]> {
    static let list = ValueType("a list, or texts with commas between them") { written, _ in
        written.items
    } show: {
        .list($0)
    }

    static let paths = ValueType("a list of paths, or paths with commas between them") { written, folders in
        written.items?.map(folders.expand)
    } show: {
        .list($0)
    }
}

extension ValueType<Set<String>> {
    /// Codes, in any order.
    static let codes = ValueType("a list, or codes with commas between them") { written, _ in
        written.items.map { Set($0) }
    } show: {
        .list($0.sorted())
    }
}

extension ValueType where Value: RawRepresentable<String> & Sendable {
    /// One word of a set.
    static func word(_ words: [Value]) -> Self {
        ValueType("one of " + words.map(\.rawValue).joined(separator: ", ")) { written, _ in
            words.first { $0.rawValue == written.text }
        } show: {
            .word($0.rawValue)
        }
    }
}

extension ValueType where Value: RawRepresentable<String> & CaseIterable & Sendable {
    /// One word of all there are.
    static var word: Self { .word(Array(Value.allCases)) }
}

extension String {
    /// Whether it is not empty and holds no control characters.
    var isOneLine: Bool {
        !self.isEmpty && self.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
