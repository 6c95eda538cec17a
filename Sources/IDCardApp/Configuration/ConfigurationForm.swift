import Foundation
import IDCardCore

/// The form a value must have: its type and the range it may lie in.
package enum ConfigurationForm: Hashable, Sendable {
    /// Any text of one line.
    case text
    /// A path of the file system; `~/` is the home directory.
    case path
    /// An address as ``EndpointURL`` reads it.
    case url
    /// A whole number.
    case integer(ClosedRange<Int>)
    /// A number.
    case number(ClosedRange<Double>)
    /// A number of bytes as ``ByteCountText`` reads it.
    case byteCount(ClosedRange<Int>)
    /// A duration as ``DurationText`` reads it.
    case duration(ClosedRange<Duration>)
    /// One word of a set; `planned` ones are known and refused in this version.
    case choice([String], planned: [String])
    /// Texts: a YAML list, or separated by commas.
    case list

    /// A choice without planned words.
    package static func choice(_ words: [String]) -> ConfigurationForm { .choice(words, planned: []) }

    /// The type in one word, for the table in the README and `config show`.
    package var typeName: String {
        switch self {
        case .text: "text"
        case .path: "path"
        case .url: "url"
        case .integer: "integer"
        case .number: "number"
        case .byteCount: "bytes"
        case .duration: "duration"
        case .choice: "choice"
        case .list: "list"
        }
    }

    /// The range or the words in short, for the table; `nil` if anything goes.
    package var range: String? {
        switch self {
        case .text, .path, .url, .list: nil
        case .integer(let range): "\(range.lowerBound) … \(range.upperBound)"
        case .number(let range):
            "\(ConfigurationValue.number(range.lowerBound)) … \(ConfigurationValue.number(range.upperBound))"
        case .byteCount(let range):
            "\(ByteCountText.render(range.lowerBound)) … \(ByteCountText.render(range.upperBound))"
        case .duration(let range):
            "\(DurationText.render(range.lowerBound)) … \(DurationText.render(range.upperBound))"
        case .choice(let words, let planned):
            (words + planned.map { "(\($0))" }).joined(separator: ", ")
        }
    }

    /// What a value must look like, in words, for messages.
    package var expectation: String {
        let range = self.range.map { ", in \($0)" } ?? ""
        return switch self {
        case .text: "a text of one line"
        case .path: "a path"
        case .url: EndpointURL.expectation
        case .integer: "a whole number\(range)"
        case .number: "a number\(range)"
        case .byteCount: ByteCountText.expectation + range
        case .duration: DurationText.expectation + range
        case .choice(let words, _): words.count == 1 ? words[0] : "one of " + words.joined(separator: ", ")
        case .list: "a list such as [a, b], or a,b in the environment"
        }
    }
}
