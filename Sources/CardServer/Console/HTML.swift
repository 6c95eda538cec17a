import CardModel
import CardStore

/// A piece of a page. Literals are markup; what is interpolated is text, and is escaped, unless it is a piece itself.
///
///     let row: HTML = "<tr><td>\(card.id)</td><td>\(card.state)</td></tr>"
///
/// Nothing takes `Redacted`: a page that shows a personal value by mistake does not compile.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    private(set) var markup: String

    init(stringLiteral markup: String) { self.markup = markup }

    init(stringInterpolation: StringInterpolation) { self.markup = stringInterpolation.markup }

    /// Takes markup as it is: for what is made elsewhere in this module, such as the style sheet.
    init(markup: String) { self.markup = markup }

    /// Joins pieces by another one.
    static func joined(_ pieces: [HTML], by separator: HTML = "") -> HTML {
        HTML(markup: pieces.map(\.markup).joined(separator: separator.markup))
    }

    static func + (first: HTML, second: HTML) -> HTML { HTML(markup: first.markup + second.markup) }

    /// The five characters that mean something in text or in a quoted attribute (HTML standard, section 13.3).
    static func escaped(_ text: some StringProtocol) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            // Text of others cannot turn the direction of what stands around it.
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{200E}", "\u{200F}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            self.markup.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { self.markup += literal }

        mutating func appendInterpolation(_ piece: HTML?) { self.markup += piece?.markup ?? "" }

        mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { self.markup += piece.markup } }

        mutating func appendInterpolation(_ text: String) { self.markup += HTML.escaped(text) }

        mutating func appendInterpolation(_ number: some BinaryInteger) { self.markup += String(number) }

        mutating func appendInterpolation(_ word: some RawRepresentable<String>) {
            self.markup += HTML.escaped(word.rawValue)
        }

        /// The moment in the zone of this machine, as all faces show it to people.
        mutating func appendInterpolation(_ time: Timestamp) {
            self.markup += "<time datetime=\"\(time.description)\">\(time.local)</time>"
        }

        /// The text in the language of the reader, without its personal values.
        mutating func appendInterpolation(_ message: Message) {
            self.markup += HTML.escaped(message.withoutPersonalValues.text())
        }
    }
}
