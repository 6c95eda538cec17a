import CardModel

// Each message stands on one line.
// swift-format-ignore
extension Message {
    // MARK: Help, where the parser's own is not shown

    static func usageLine(_ usage: String) -> Self { Self("usage.line", "Usage: \(code: usage)") }
    static let usageArguments = Self("usage.arguments", "Arguments:")
    static let usageOptions = Self("usage.options", "Options:")
    static let usageSubcommands = Self("usage.subcommands", "Subcommands:")
    static func usageMore(_ command: String) -> Self { Self("usage.more", "  For more, run: \(code: command)") }
    static func usageOf(_ name: String, _ text: String) -> Self { Self("usage.of", "Help: \(code: name)  \(code: text)") }
    static func usageValues(_ values: [String]) -> Self { Self("usage.values", " (values: \(codes: values))") }
    static func usageDefault(_ value: String) -> Self { Self("usage.default", " (default: \(code: value))") }
    static func usageValuesDefault(_ values: [String], _ value: String) -> Self { Self("usage.values_default", " (values: \(codes: values); default: \(code: value))") }

    // MARK: Errors of the parser

    static func parserUnknownOption(_ name: Redacted<String>) -> Self { Self("parser.unknown_option", "unknown option \(name)") }
    static func parserMistypedOption(_ name: Redacted<String>, _ known: String) -> Self { Self("parser.mistyped_option", "unknown option \(name); did you mean \(code: known)?") }
    static func parserMissingValue(_ name: String) -> Self { Self("parser.missing_value", "missing value for \(code: name)") }
    static func parserMissingArgument(_ name: String) -> Self { Self("parser.missing_argument", "missing argument \(code: name)") }
    static func parserUnexpected(_ values: Redacted<String>) -> Self { Self("parser.unexpected", "unexpected argument \(values)") }
    static func parserInvalidValue(_ value: Redacted<String>, _ name: String) -> Self { Self("parser.invalid_value", "the value \(value) is invalid for \(code: name)") }
    static func parserInvalidWord(_ value: Redacted<String>, _ name: String, _ words: [String]) -> Self { Self("parser.invalid_word", "the value \(value) is invalid for \(code: name); give one of \(codes: words)") }

    // MARK: Which language

    static func languageUnknown(_ word: Redacted<String>, _ known: [String]) -> Self { Self("language.unknown", "--lang is \(word), which is no language of this program; give one of \(codes: known)") }
    static func languageMissing(_ known: [String]) -> Self { Self("language.missing", "--lang lacks its value; give one of \(codes: known)") }
}
