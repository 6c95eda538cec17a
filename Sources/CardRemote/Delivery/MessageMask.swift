import CardModel
import Foundation

/// Removes personal and secret values from a remote's text.
///
/// It masks four things:
/// - Runs of six or more digits, with an X at the end, whatever separates the digits.
/// - Sent and confidential values, in any case and width, whatever separates their letters.
/// - Any four consecutive letters of a confidential value with at least six, because remotes quote addresses in part.
/// - Words with percent-encoded bytes, which may contain anything.
///
/// The values to look for are computed only when a text is shown, because most answers show none.
final class MessageMask: Discreet {
    let description = "MessageMask"
    private let delivery: OutboundDelivery
    private lazy var sent = self.delivery.parts.compactMap { part in
        if case .text(let value) = part.content { Self.folded(value.reveal()) } else { nil }
    }
    private lazy var personal = self.delivery.confidential.map { Self.folded($0.reveal()) }
    /// The folded values and pieces to mask; without single letters, which reveal nothing and would mask most of a text.
    private lazy var secrets = Set((self.sent + self.personal + self.pieces(of: 4)).filter { $0.count > 1 })
    /// The folded values and pieces that a code must not contain. Pieces have six letters here: those of four digits, such as a
    /// year of birth, would hide harmless codes, and an operator cannot list a hidden code.
    private lazy var values = Set((self.sent + self.personal + self.pieces(of: 6)).filter { $0.count >= 4 })

    init(_ delivery: OutboundDelivery) { self.delivery = delivery }

    /// Returns all pieces of a length of the confidential values that have at least six letters.
    private func pieces(of length: Int) -> [[Unicode.Scalar]] {
        self.personal.filter { $0.count >= 6 }.flatMap { value in
            (0...value.count - length).map { Array(value[$0..<$0 + length]) }
        }
    }

    /// Returns a text masked, in one line, and cut to the limit.
    func presentable(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars.prefix(Limits.foreignText.read))
        var isMasked = [Bool](repeating: false, count: scalars.count)
        let letters = scalars.enumerated().flatMap { index, scalar in
            Self.folded(scalar).map { (letter: $0, source: index) }
        }
        func mask(_ range: Range<Int>) {
            for index in letters[range.lowerBound].source...letters[range.upperBound - 1].source {
                isMasked[index] = true
            }
        }
        let folded = letters.map(\.letter)
        let byFirst = Dictionary(grouping: self.secrets) { $0[0] }
        var digits = 0
        for start in folded.indices {
            for secret in byFirst[folded[start]] ?? [] where folded[start...].starts(with: secret) {
                mask(start..<start + secret.count)
            }
            digits = ("0"..."9").contains(folded[start]) ? digits + 1 : 0
            guard digits >= 6 else { continue }
            let hasX = start + 1 < folded.count && folded[start + 1] == "x"
            mask(start + 1 - digits..<start + (hasX ? 2 : 1))
        }
        for word in scalars.indices.split(whereSeparator: { scalars[$0].properties.isWhitespace })
        where Self.isPercentEncoded(scalars[word]) {
            for index in word { isMasked[index] = true }
        }
        return Self.shown(scalars, hiding: isMasked)
    }

    /// Whether a code contains a value with at least four letters, or six consecutive letters of a confidential value.
    func holdsValue(_ code: String) -> Bool {
        let folded = Self.folded(code)
        return self.values.contains { folded.contains($0) }
    }

    private static func isPercentEncoded(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        word.indices.dropLast(2).contains { index in
            word[index] == "%" && word[index + 1].properties.isASCIIHexDigit
                && word[index + 2].properties.isASCIIHexDigit
        }
    }

    /// Returns the text with "…" for each masked run, and blanks for characters that do not show on a line.
    private static func shown(_ scalars: [Unicode.Scalar], hiding isMasked: [Bool]) -> String {
        var shown = ""
        for (index, scalar) in scalars.enumerated() {
            if isMasked[index] {
                if index == 0 || !isMasked[index - 1] { shown += "…" }
            } else {
                shown += String(scalar).isVisibleLine ? String(scalar) : " "
            }
        }
        return String(shown.trimmed.prefix(Limits.foreignText.shown))
    }

    private static func folded(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.flatMap(self.folded) }

    /// Returns the letters and digits of a scalar, in half width and lower case, digits of all scripts as ASCII; none for others.
    private static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        String(scalar).decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars.compactMap { letter in
            if letter.properties.numericType == .decimal, let value = letter.properties.numericValue {
                return Unicode.Scalar(UInt8(ascii: "0") + UInt8(value))
            }
            return letter.properties.isAlphabetic || letter.properties.isIdeographic ? letter : nil
        }
    }
}
