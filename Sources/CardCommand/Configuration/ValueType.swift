import CardModel
import Foundation

/// A value as it is written in the file, a variable or an option.
enum WrittenValue: Sendable {
    case text(String)
    case list([String])

    /// The text of a value; `nil` for an empty one or a list.
    var text: String? {
        guard case .text(let text) = self, !text.isEmpty else { return nil }
        return text
    }

    /// The items of a list, or of a text separated by commas; `nil` if one of them is empty.
    var items: [String]? {
        let items: [String]
        switch self {
        case .list(let list): items = list
        case .text(let text):
            items = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
        }
        return items.contains("") ? nil : items
    }

    /// The value for a message.
    var shown: String {
        switch self {
        case .text(let text): String(text.prefix(80))
        case .list(let items): "[" + String(items.joined(separator: ", ").prefix(80)) + "]"
        }
    }
}

/// A value as `config show` prints it.
enum ShownValue: Hashable, Sendable, Encodable {
    case unset
    case bool(Bool)
    case number(Double)
    /// A word or a measure that needs no quotes in YAML.
    case word(String)
    /// A text that may need quotes in YAML.
    case text(String)
    case list([String])
    /// Whether a secret is set; the secret itself is never shown.
    case secret(isSet: Bool)

    var text: String {
        switch self {
        case .unset: "<unset>"
        case .bool(let value): String(value)
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
        case .number(let value): try container.encode(value)
        case .list(let items): try container.encode(items)
        case .word, .text, .secret: try container.encode(self.text)
        }
    }
}

/// How the values of a key are read and shown.
struct ValueType<Value: Sendable>: Sendable {
    /// The expected form, for messages and the reference: `a whole number from 1 to 256`.
    let expectation: Message
    let show: @Sendable (Value) -> ShownValue
    /// A correction of a value that looks right but is not.
    var slip: @Sendable (WrittenValue) -> Message? = { _ in nil }
    /// Reads a value; `nil` if it is not as expected.
    let read: @Sendable (WrittenValue, UserFolders) -> Value?
}

extension ValueType {
    /// Makes a type whose values are written as texts.
    init(
        _ expectation: Message,
        show: @escaping @Sendable (Value) -> ShownValue,
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.init(expectation: expectation, show: show, slip: { $0.slip() }) { written, _ in
            written.text.flatMap(parse)
        }
    }
}

extension Comparable {
    fileprivate func within(_ range: ClosedRange<Self>) -> Self? { range.contains(self) ? self : nil }
}

extension ValueType<Bool> {
    /// True or false, also in the other words of YAML.
    static let yesOrNo = ValueType(.valueFlag, show: { .bool($0) }) { text in
        switch text.lowercased() {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    }
}

extension ValueType<Int> {
    static func integer(_ range: ClosedRange<Int>) -> Self {
        ValueType(.valueInteger(range), show: { .number(Double($0)) }) { Int($0)?.within(range) }
    }
}

extension ValueType where Value: FixedWidthInteger & Sendable {
    static func bytes(_ range: ClosedRange<Value>) -> Self {
        let ends = [range.lowerBound, range.upperBound].map { ByteCountText.render(Int64($0)) }
        return ValueType(
            .valueBytes(ends[0], ends[1]),
            show: { .word(ByteCountText.render(Int64($0))) },
            parse: { ByteCountText.parse($0).flatMap { Value(exactly: $0) }?.within(range) }
        )
    }
}

extension ValueType<Double> {
    static func number(_ range: ClosedRange<Double>) -> Self {
        let ends = [range.lowerBound, range.upperBound].map { ShownValue.number($0).text }
        return ValueType(.valueNumber(ends[0], ends[1]), show: { .number($0) }) { Double($0)?.within(range) }
    }
}

extension ValueType<Double?> {
    /// Calls per second; 0 means no limit.
    static let rate = ValueType(.valueRate, show: { .number($0 ?? 0) }) { text in
        Double(text)?.within(0...10_000).map { $0 == 0 ? nil : $0 }
    }
}

extension ValueType<Duration> {
    static func duration(_ range: ClosedRange<Duration>) -> Self {
        let ends = [range.lowerBound, range.upperBound].map(DurationText.render)
        return ValueType(
            .valueDuration(ends[0], ends[1]),
            show: { .word(DurationText.render($0)) },
            parse: { DurationText.parse($0)?.within(range) }
        )
    }
}

extension ValueType<String> {
    static let text = ValueType(.valueText, show: { .text($0) }) { $0.isOneLine ? $0 : nil }

    /// The name of a form field or file, or a pattern, with any characters.
    static let name = ValueType(expectation: text.expectation, show: text.show, read: text.read)

    /// An address, shown without its query, which may hold a secret.
    static let address = ValueType(
        .valueAddress,
        show: { $0.isEmpty ? .unset : .text(ServiceAddress($0)?.shown ?? "<redacted>") },
        parse: { ServiceAddress($0) == nil ? nil : $0 }
    )

    /// The name of a time zone that the C library knows too: it would silently take UTC for another name.
    static let timeZone = ValueType(.valueTimeZone, show: { .word($0) }) { name in
        let path = URL(filePath: "/usr/share/zoneinfo").appending(path: name).path
        let isName = name.utf8.first != UInt8(ascii: "/") && !name.contains("..")
        return isName && FileManager.default.contents(atPath: path)?.starts(with: "TZif".utf8) == true ? name : nil
    }

    /// A path, made absolute.
    static let path = ValueType(expectation: .valuePath, show: { .text($0) }) { written, folders in
        written.text.flatMap { $0.isOneLine ? folders.resolve($0) : nil }
    }
}

extension ValueType<Redacted<String>> {
    /// A text of one line that is never shown.
    static let secret = ValueType(.valueText, show: { .secret(isSet: !$0.reveal().isEmpty) }) {
        $0.trimmed.isOneLine ? Redacted($0.trimmed) : nil
    }

    /// A shell command, which may begin and end with quotes.
    static let command = ValueType(expectation: secret.expectation, show: secret.show, read: secret.read)

    /// Key or secret of an account; services use only visible ASCII characters, unlike the placeholders of Chinese examples.
    static let credential = ValueType(.valueCredential, show: secret.show) {
        $0.trimmed.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? Redacted($0.trimmed) : nil
    }

    /// A user account, by the same rule as that of a photo.
    static let userNumber = ValueType(.valueUserNo, show: { _ in .secret(isSet: true) }) {
        (try? SubmittedFields([.userNumber: $0]))?.userNumber
    }
}

extension ValueType<[String]> {
    static let list = ValueType(
        expectation: .valueList,
        show: { .list($0) },
        slip: { $0.slip(isList: true) },
        read: { written, _ in written.items }
    )

    /// Patterns of names, with any characters.
    static let patterns = ValueType(expectation: list.expectation, show: list.show, read: list.read)

    static let paths = ValueType(expectation: .valuePaths, show: { .list($0) }) { $0.items?.map($1.resolve) }

    /// Paths with names, each `NAME=PATH`; an item of another form is kept as it is, and refused later.
    static let namedPaths = ValueType(expectation: .valueNamedPaths, show: { .list($0) }) { written, folders in
        written.items?.map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
            return parts.count == 2 && !parts[1].isEmpty ? "\(parts[0])=\(folders.resolve(parts[1]))" : item
        }
    }
}

extension ValueType<Set<String>> {
    static let codes = ValueType(
        expectation: .valueCodes,
        show: { .list($0.sorted()) },
        slip: { $0.slip(isList: true) },
        read: { written, _ in written.items.map { Set($0) } }
    )
}

extension ValueType<Set<DecisionAction>> {
    /// Some of the known words, in any order.
    static let actions = ValueType(
        expectation: .valueSomeOf(DecisionAction.listed.map(\.rawValue)),
        show: { actions in .list(actions.map(\.rawValue).sorted()) },
        slip: { $0.slip(isList: true) }
    ) { written, _ in
        let actions = written.items.map { $0.map { DecisionAction(argument: $0) } }
        return actions.flatMap { $0.contains(nil) ? nil : Set($0.compactMap(\.self)) }
    }
}

extension ValueType where Value: RawRepresentable<String> & Sendable {
    static func word(_ words: [Value]) -> Self {
        ValueType(.valueOneOf(words.map(\.rawValue)), show: { .word($0.rawValue) }) { text in
            words.first { $0.rawValue == text }
        }
    }
}

extension ValueType where Value: RawRepresentable<String> & CaseIterable & Sendable {
    static var word: Self { .word(Array(Value.allCases)) }
}

extension String {
    /// Whether the text is not empty and has no control characters.
    var isOneLine: Bool {
        !self.isEmpty && self.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
