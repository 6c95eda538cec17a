import Foundation
import Synchronization

/// The texts of one language by message id, and how that language writes values.
package struct MessageCatalogue: Sendable {
    /// English: each message carries its own text.
    package static let english = MessageCatalogue(.english, texts: [:])

    /// Set once, when the process knows its language.
    private static let ofProcess = Mutex(MessageCatalogue.english)

    /// The language that the current request asks for, if any.
    @TaskLocal package static var requested: MessageCatalogue?

    /// The language of the current reader.
    package static var current: MessageCatalogue { Self.requested ?? Self.ofProcess.withLock(\.self) }

    package static func speak(_ catalogue: MessageCatalogue) { Self.ofProcess.withLock { $0 = catalogue } }

    package let language: Language
    /// The texts by message id.
    package let texts: [String: String]
    /// Ids that contain `{1}`, which matches any word, split into start and end.
    private let patterns: [(start: Substring, end: Substring, text: String)]

    /// Creates a catalogue with one template for each id, so it suits languages without plurals.
    package init(_ language: Language, texts: [String: String]) {
        self.language = language
        self.texts = texts
        self.patterns = texts.compactMap { id, text in
            id.firstRange(of: "{1}").map { (id[..<$0.lowerBound], id[$0.upperBound...], text) }
        }
    }

    /// Returns the text of an id, its arguments not filled in; `nil` if this language lacks it.
    package func text(of id: String) -> String? {
        self.texts[id] ?? self.patterns.first { id.hasPrefix($0.start) && id.hasSuffix($0.end) }?.text
    }

    /// Returns the template of a message; the English one if this language lacks it, or has one for more arguments.
    func template(for message: Message) -> String {
        guard let text = self.text(of: message.id) else { return message.english }
        return MessageTemplate(text).argumentCount <= message.arguments.count ? text : message.english
    }

    /// Formats an argument as the language writes such values.
    func text(of argument: Message.Argument, revealing reveal: (Redacted<String>) -> String) -> String {
        switch argument {
        case .code(let value): value
        case .personal(let value): reveal(value)
        case .count(let value): Self.grouped(Int64(value))
        case .bytes(let value): self.unit("byte", Self.grouped(value), isOne: value == 1)
        case .duration(let value): self.text(of: value)
        case .date(let value): value.local
        case .errno(let value): self.texts["errno.\(value)"] ?? String(cString: strerror(value))
        case .list(let values):
            values.map { self.text(of: $0, revealing: reveal) }.joined(separator: self.texts["list.comma"] ?? ", ")
        case .message(let message): message.text(in: self, revealing: reveal)
        }
    }

    private func unit(_ name: String, _ number: String, isOne: Bool) -> String {
        self.texts["unit.\(name)"].map { number + $0 } ?? "\(number) \(name)\(isOne ? "" : "s")"
    }

    private static let units: [(name: String, milliseconds: Int64)] = [
        ("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1000), ("millisecond", 1),
    ]

    /// Returns the one or two largest units, such as `1 hour 30 minutes`.
    private func text(of duration: Duration) -> String {
        var left = duration.wholeMilliseconds
        var parts: [String] = []
        for unit in Self.units {
            let count = left / unit.milliseconds
            left %= unit.milliseconds
            if count != 0 { parts.append(self.unit(unit.name, "\(count)", isOne: count == 1)) }
        }
        if parts.isEmpty { parts = [self.unit("second", "0", isOne: false)] }
        return parts.prefix(2).joined(separator: self.texts["unit.joiner"] ?? " ")
    }

    /// Returns digits in groups of three.
    private static func grouped(_ number: Int64) -> String {
        let digits = Array(String(number.magnitude))
        let groups = stride(from: digits.count, to: 0, by: -3).reversed().map { String(digits[max(0, $0 - 3)..<$0]) }
        return (number < 0 ? "-" : "") + groups.joined(separator: ",")
    }
}
