import Foundation
import IDCardCore

/// The form a value must have: its type and the range it may lie in.
package enum ConfigurationForm: Hashable, Sendable {
    /// Any text of one line.
    case text
    /// A text of so many bytes in UTF-8.
    case fixedText(bytes: Int)
    /// A text that can stand in the name of an HTTP header: token characters (RFC 9110, section 5.6.2).
    case headerToken
    /// A path of the file system; `~/` is the home directory.
    case path
    /// Several paths: a YAML list, or separated by commas.
    case paths
    /// Yes or no as ``BooleanText`` reads it.
    case boolean
    /// An address as ``EndpointURL`` reads it.
    case url
    /// A proxy as ``ProxyAddress`` reads it.
    case proxy
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

    /// Whether the value is several texts.
    package var isList: Bool { self == .list || self == .paths }

    /// Whether the value is a text that we do not take apart.
    package var isFreeText: Bool {
        switch self {
        case .text, .fixedText, .headerToken: true
        default: false
        }
    }

    /// The type in a word or two, for the table in the README and `config show`.
    package var typeName: String {
        switch self {
        case .text, .fixedText, .headerToken: "text"
        case .path: "path"
        case .paths: "list of paths"
        case .boolean: "boolean"
        case .url: "url"
        case .proxy: "proxy"
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
        case .text, .headerToken, .path, .paths, .boolean, .url, .proxy, .list: nil
        case .fixedText(let bytes): "\(bytes) bytes"
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
        case .fixedText(let bytes): "a text of one line with exactly \(bytes) bytes in UTF-8"
        case .headerToken: "a text of letters, digits and !#$%&'*+-.^_`|~, as names of HTTP headers are"
        case .path: "a path"
        case .paths: "a list of paths such as [a.pem, b.pem], or a.pem,b.pem in the environment"
        case .boolean: BooleanText.expectation
        case .proxy: ProxyAddress.expectation
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
