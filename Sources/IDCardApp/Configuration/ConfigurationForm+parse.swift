import Foundation
import IDCardCore

extension ConfigurationForm {
    /// Why a text was refused.
    package enum Refusal: Error, Hashable, Sendable {
        /// It has another form.
        case malformed
        /// It has the form and lies outside the range.
        case outOfRange
        /// A later version will know it.
        case planned
    }

    /// Reads a value.
    ///
    /// - Parameter text: what was written, without blanks around it.
    package func parse(_ text: String) throws(Refusal) -> ConfigurationValue {
        switch self {
        case .text, .path: .text(try Self.line(text))
        case .fixedText(let bytes): .text(try Self.line(try Self.checked(text, text.utf8.count == bytes)))
        case .headerToken: .text(try Self.checked(text, HeaderToken.isToken(text)))
        case .boolean: .boolean(try Self.found(BooleanText.parse(text)))
        case .url: .url(try Self.found(EndpointURL(text)))
        case .proxy: .text(try Self.checked(try Self.line(text), ProxyAddress(text) != nil))
        case .integer(let range): .integer(try Self.check(Self.digits(text).flatMap { Int($0) }, in: range))
        case .number(let range): .number(try Self.check(Self.digits(text).flatMap { Double($0) }, in: range))
        case .byteCount(let range): .byteCount(try Self.check(ByteCountText.parse(text), in: range))
        case .duration(let range): .duration(try Self.check(DurationText.parse(text), in: range))
        case .choice(let words, let planned): .text(try Self.choose(text, from: words, planned: planned))
        case .list, .paths: try self.parse(items: text.isEmpty ? [] : text.components(separatedBy: ","))
        }
    }

    /// Reads the items of a list; blanks around them do not count, empty ones are refused.
    package func parse(items: [String]) throws(Refusal) -> ConfigurationValue {
        var trimmed: [String] = []
        for item in items {
            let line = try Self.line(item.trimmingCharacters(in: .whitespacesAndNewlines))
            guard !line.isEmpty else { throw .malformed }
            trimmed.append(line)
        }
        return .list(trimmed)
    }

    private static func found<Value>(_ value: Value?) throws(Refusal) -> Value {
        guard let value else { throw .malformed }
        return value
    }

    private static func checked(_ text: String, _ hasForm: Bool) throws(Refusal) -> String {
        guard hasForm else { throw .malformed }
        return text
    }

    private static func check<Value: Comparable>(
        _ value: Value?,
        in range: ClosedRange<Value>
    ) throws(Refusal) -> Value {
        let value = try Self.found(value)
        guard range.contains(value) else { throw .outOfRange }
        return value
    }

    /// Control characters would change forms, headers and terminals.
    private static func line(_ text: String) throws(Refusal) -> String {
        let isClean = text.unicodeScalars.allSatisfy { !CharacterSet.controlCharacters.contains($0) }
        guard isClean else { throw .malformed }
        return text
    }

    /// The standard library also reads `nan`, `inf`, `0x10` and `+5`, which nobody means here.
    private static func digits(_ text: String) -> String? {
        text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-") } ? text : nil
    }

    private static func choose(_ text: String, from words: [String], planned: [String]) throws(Refusal) -> String {
        if words.contains(text) { return text }
        throw planned.contains(text) ? .planned : .malformed
    }
}
